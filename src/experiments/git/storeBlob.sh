# Stores the input as a file of the repository, and prints its hash.
enter_repo "$1"
g hash-object -w --stdin
