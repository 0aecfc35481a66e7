/** A full name of its parts, without the absent ones. */
export const fullName = (...parts: readonly (string | null)[]): string =>
  parts.flatMap((part) => part?.trim() || []).join(' ')
