/** The subject without `Re:` and the like. */
export const bareSubject = (subject: string): string =>
  subject.replace(/^(?:\s*(?:re|aw|sv|fwd?|wg)\s*:\s*){1,10}/i, '').trim()
