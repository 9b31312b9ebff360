# Defines the shell functions conda, mamba and micromamba where they are installed, as "conda init"
# does for interactive shells. Reads no startup file of the user as a script.
helios_conda_bases() {
  [ -z "$CONDA_EXE" ] || printf '%s\n' "${CONDA_EXE%/*/*}"
  helios_exe=$(command -v conda) && printf '%s\n' "${helios_exe%/*/*}"
  # The lines that "conda init" has written to the startup files name the program.
  cat "$HOME/.bashrc" "$HOME/.bash_profile" "$HOME/.profile" "$HOME/.zshrc" 2>/dev/null |
    sed -n "s|.*'\(/[^']*\)/bin/conda' *'*shell\..*|\1|p"
  # Ends the line if the last file does not. An empty line stands for /etc/profile.d/conda.sh.
  echo
  for helios_place in "$HOME" /opt /usr/local /usr/share /usr/local/share; do
    for helios_name in miniconda3 miniforge3 mambaforge anaconda3 miniconda anaconda conda; do
      printf '%s\n' "$helios_place/$helios_name"
    done
  done
}

helios_load_conda() {
  case $(command -V conda 2>/dev/null) in *function*) return 0 ;; esac
  helios_base=$(helios_conda_bases | while IFS= read -r helios_place; do
    [ -r "$helios_place/etc/profile.d/conda.sh" ] && printf '%s\n' "$helios_place" && break
  done)
  [ -n "$helios_base" ] || return 0
  # shellcheck disable=SC1091 # On the machine of the command.
  . "$helios_base/etc/profile.d/conda.sh"
  # shellcheck disable=SC1091
  [ ! -r "$helios_base/etc/profile.d/mamba.sh" ] || . "$helios_base/etc/profile.d/mamba.sh"
}

helios_load_micromamba() {
  case $(command -V micromamba 2>/dev/null) in *function*) return 0 ;; esac
  for helios_exe in "$MAMBA_EXE" "$(command -v micromamba)" "$HOME/.local/bin/micromamba" "$HOME/bin/micromamba"; do
    [ -x "$helios_exe" ] || continue
    eval "$("$helios_exe" shell hook --shell posix 2>/dev/null)"
    return 0
  done
}
helios_load_conda
helios_load_micromamba
