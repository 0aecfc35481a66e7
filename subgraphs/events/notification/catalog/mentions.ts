/** `@[Ann Lee](019a0c5e-7f00-7c1d-8f21-64d0a95be713)` */
const mention = /@\[[^\]\n]{1,200}\]\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/gi
/** Further ones in the same text notify nobody. */
const mentionsMax = 20

/** The ids of the users whom a text mentions. */
export function mentionedIn(text: unknown): readonly string[] {
  if (typeof text !== 'string') return []
  const ids = new Set<string>()
  for (const [, id] of text.matchAll(mention)) {
    if (ids.size === mentionsMax) break
    ids.add(id!.toLowerCase())
  }
  return [...ids]
}

/** The text with the name alone in the place of each mention. */
export const withoutMentions = (text: string): string =>
  text.replaceAll(mention, (whole) => whole.slice(2, whole.indexOf(']')))
