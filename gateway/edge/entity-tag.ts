/** Whether `If-None-Match` names the entity tag, by the weak comparison of RFC 9110, section 13.1.2. */
export const isMatch = (ifNoneMatch: string, etag: string): boolean =>
  ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
