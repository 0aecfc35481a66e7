/** The lines of a block of text. */
export const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

/** The cells of a table: one row on each line, cells separated by bars. */
export const table = (text: string): string[][] => lines(text).map((line) => line.split('|').map((cell) => cell.trim()))

/** Items separated by commas. */
export const items = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

/** Replaces each `{name}` by its value. */
export const withSlotsFilled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (slot, name: string) => values[name] ?? slot)
