import type { RequestHandler } from 'express'

/** Answers unsupported methods with an OAuth error (RFC 6749, section 5.2). */
export function refuseOtherMethods(...methods: readonly string[]): RequestHandler {
  const allow = methods.join(', ')
  return (req, res) => {
    res.set({ Allow: allow, 'Cache-Control': 'no-store' })
    if (req.method === 'OPTIONS') res.status(204).end()
    else res.status(405).json({ error: 'invalid_request', error_description: `Send one of these methods: ${allow}.` })
  }
}
