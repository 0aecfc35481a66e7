import { describe, expect, it } from 'vitest'
import { usageOf } from './usage.ts'
import { aKey, anEdge, exchange, start } from './edge.fixture.ts'

/** An admitted request whose response was sent with this status, or was abandoned by the client (null). */
async function answered(edge: ReturnType<typeof anEdge>, headers: Record<string, string>, status: number | null) {
  const { req, res } = exchange({ headers })
  const admission = await edge.edge.admit(req, res)
  if (admission.usage) admission.usage.operation = 'accountList'
  if (status !== null) {
    res.statusCode = status
    Object.defineProperty(res, 'writableFinished', { value: true })
  }
  res.emit('close')
}

describe('a finished request', () => {
  it('is reported once, with the credential it is counted for, operation, status and duration', async () => {
    const edge = anEdge()
    const { secret } = edge.issue(aKey())
    await answered(edge, { 'x-api-key': secret }, 201)
    expect(edge.finished).toEqual([
      {
        counted: { kind: 'API_KEY', id: 'key-1', organizationId: 'org-1', userId: 'user-1' },
        operation: 'accountList',
        status: 201,
        durationMs: expect.any(Number),
        isRateLimited: false,
        at: start,
      },
    ])
  })

  it('is counted for the user of a session', async () => {
    const edge = anEdge()
    await answered(edge, { authorization: `Bearer ${await edge.signIn()}` }, 200)
    expect(edge.finished).toMatchObject([{ counted: { kind: 'SESSION', id: 'user-1' } }])
  })

  it('of an access token is counted for its app', async () => {
    const edge = anEdge()
    const { caller } = await edge.edge.admit(
      exchange({ headers: { authorization: `Bearer ${await edge.signIn()}` } }).req,
      null,
    )
    const { counted } = usageOf({ ...caller, kind: 'OAUTH', credentialId: 'grant-1' }, 0, 'app-1')!
    expect(counted).toEqual({ kind: 'OAUTH_APP', id: 'app-1', organizationId: 'org-1', userId: 'user-1' })
  })

  it('that its client abandoned counts as 499, and 429 as a rate-limit hit', async () => {
    const edge = anEdge()
    const { secret } = edge.issue(aKey())
    await answered(edge, { 'x-api-key': secret }, null)
    await answered(edge, { 'x-api-key': secret }, 429)
    expect(edge.finished).toMatchObject([
      { status: 499, isRateLimited: false },
      { status: 429, isRateLimited: true },
    ])
  })

  it('of an anonymous caller or of a refused key is not reported', async () => {
    const edge = anEdge()
    await answered(edge, {}, 200)
    const { secret } = edge.issue(aKey({ revokedAt: start }))
    await edge.sendWithKey(secret)
    expect(edge.finished).toEqual([])
  })
})
