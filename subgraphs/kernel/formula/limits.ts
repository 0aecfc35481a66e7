/** What a formula may cost, checked before it is evaluated or becomes SQL. */
export const formulaLimits = {
  /** Length of the expression, in UTF-16 code units. */
  characters: 4000,
  /** Calls and parentheses, one inside the other. */
  depth: 32,
  /** Operators, calls, literals and fields, those of the formulas that it reads included. */
  nodes: 500,
  /** Different fields, those of the formulas that it reads included. */
  fields: 50,
  /** Relations that one field is reached through. */
  hops: 3,
  /** Different relations and rollups, those of the formulas that it reads included. */
  relations: 10,
  /** Formulas that read formulas: the number of formulas from the first to the last. */
  levels: 5,
  /** Code points of a text that a formula computes. */
  text: 4000,
  /** Code points of a field that a formula reads. */
  fieldText: 32_000,
  /** Problems that one answer lists. */
  problems: 20,
} as const
