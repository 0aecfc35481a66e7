/** Header fields by name in lower case; continued lines are joined, and the first of several counts. */
export function fieldsOf(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const at = line.indexOf(':')
    const name = line.slice(0, Math.max(0, at)).trim().toLowerCase()
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(at + 1).trim())
  }
  return fields
}

/** The header of a mail, without its body. */
export const headOf = (text: string): string => text.trimStart().split(/\r?\n\r?\n/, 1)[0]!
