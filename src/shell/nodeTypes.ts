/** Patterns for types of nodes of the grammar. */
export const simpleTypes = /^(?:(?:declaration_|unset_|test_)?command|variable_assignments?)$/;
export const chainTypes = /^(?:list|pipeline|negated_command)$/;
export const plainTypes =
  /^(?:program|list|pipeline|negated_command|redirected_statement|subshell|[a-z_]*redirect)$/;
export const flatTypes = /^(?:program|list|pipeline|redirected_statement|[a-z_]*redirect)$/;
/** Types of groups that a `ShellLayout` can represent. */
export const layoutTypes =
  /^(?:program|(?:for|while|if|case)_statement|case_item|el(?:if|se)_clause|do_group|subshell|compound_statement)$/;
export const wordTypes = /^(?:word|(?:raw_|ansi_c_)?string|concatenation|number|brace_expression)$/;
