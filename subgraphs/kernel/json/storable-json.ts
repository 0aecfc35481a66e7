const replacement = '\ufffd'

/** A text that PostgreSQL stores: a NUL character and unpaired surrogates are replaced. For texts of programs and models, which nobody can be asked to correct. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll('\0', replacement)

/** A value as text for a `jsonb` column, with the same replacements in its texts and names. */
export const storableJson = (value: unknown): string =>
  // An escaped backslash is matched, too, so that what follows it is not taken for an escape.
  JSON.stringify(value).replace(/\\(?:\\|u0000|ud[89a-f][\da-f]{2})/g, (escape) =>
    escape === String.raw`\\` ? escape : String.raw`\ufffd`,
  )
