const charactersMax = 300

/** What a client sent may be quoted in a message or be part of a path, and may be long. */
export const shortened = (text: string): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`
