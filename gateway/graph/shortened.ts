const charactersMax = 300

/** Shortens text of a client for use in a message or a path. */
export const shortened = (text: string): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax)}…`
