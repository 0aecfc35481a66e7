import type { ServerResponse } from 'node:http'

/** Says that a preference (RFC 7240) was applied, besides others. */
export function addApplied(res: ServerResponse, preference: string): void {
  const before = res.getHeader('Preference-Applied')
  res.setHeader('Preference-Applied', before === undefined ? preference : `${String(before)}, ${preference}`)
}
