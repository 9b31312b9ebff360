# Defines the shell functions of environment modules (module, ml), as login shells do.
helios_load_modules() {
  case $(command -V module 2>/dev/null) in *function*) return 0 ;; esac
  for helios_file in "$MODULESHOME/init/sh" "$LMOD_PKG/init/sh" /etc/profile.d/00-modulepath.sh \
    /etc/profile.d/z00_lmod.sh /etc/profile.d/lmod.sh /etc/profile.d/modules.sh \
    /usr/share/lmod/lmod/init/sh /usr/share/Modules/init/sh /usr/share/modules/init/sh; do
    [ -r "$helios_file" ] || continue
    # shellcheck disable=SC1090 # On the machine of the command.
    . "$helios_file"
    case $(command -V module 2>/dev/null) in *function*) return 0 ;; esac
  done
}
helios_load_modules
