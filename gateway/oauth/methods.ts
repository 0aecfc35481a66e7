import type { RequestHandler } from 'express'

/** Answers the methods that a path does not have, in the words of OAuth (RFC 6749, section 5.2). */
export function otherMethods(...methods: readonly string[]): RequestHandler {
  const allow = methods.join(', ')
  return (req, res) => {
    res.set({ Allow: allow, 'Cache-Control': 'no-store' })
    if (req.method === 'OPTIONS') res.status(204).end()
    else res.status(405).json({ error: 'invalid_request', error_description: `This path answers ${allow}.` })
  }
}
