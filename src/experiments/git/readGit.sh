# Runs git with the arguments. Fails if a program cannot be overridden.
read_git() {
  override_programs deep || { echo "$setting names a program, which cannot be disabled" >&2; return 1; }
  eval "g $overrides \"\$@\""
}
