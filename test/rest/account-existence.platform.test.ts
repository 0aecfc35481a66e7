import type { Configuration } from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { createUser, deactivateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { hashPassword } from '../../subgraphs/identity/password/password.ts'
import { anApp, aPerson, discovered, password, started } from '../oauth/oauth.fixture.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform } from '../platform.ts'

const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const anEmail = () => `u${newId()}@example.com`

/** Persons with an account, who cannot sign in with the tried password. */
const accounts = {
  somebody: anEmail(),
  'somebody without a password': anEmail(),
  'somebody who is deactivated': anEmail(),
}
const unknownEmail = anEmail()
let config: Configuration

beforeAll(async () => {
  const organizationId = await platform.organization()
  config = await discovered(platform.url, await anApp(await aPerson(platform)))
  const user = { name: 'Ann Lee', role: 'MEMBER', visibility: 'OWN' } as const
  for (const [who, email] of Object.entries(accounts)) {
    const isKnownByPassword = who !== 'somebody without a password'
    const { id } = await createUser(platform.services, organizationId, {
      ...user,
      email,
      ...(isKnownByPassword && { password }),
    })
    if (who === 'somebody who is deactivated') await deactivateUser(platform.services, organizationId, id)
  }
})

interface ProbedRequest {
  readonly who: keyof typeof accounts
  /** Prepares the request that is measured. */
  ask(email: string): Promise<() => Promise<string>>
}

let addresses = 0
const client = () => ({ 'x-forwarded-for': `10.1.${++addresses >> 8}.${addresses & 255}` })

/** The content of a response without values that differ in every response. */
async function contentOf(response: Response): Promise<string> {
  const requestId = response.headers.get('x-request-id')!
  const headers = Array.from(response.headers, ([name, value]) => `${name}: ${name === 'date' ? '' : value}`)
  return [response.status, ...headers, await response.text()].join('\n').replaceAll(requestId, '')
}

const posted = (path: string, who: ProbedRequest['who'], body: object = {}): ProbedRequest => ({
  who,
  ask: async (email) => async () =>
    contentOf(
      await fetch(`${platform.url}/v1/auth/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...client() },
        body: JSON.stringify({ email, ...body }),
      }),
    ),
})

/** Submits the sign-in form of the authorization page. */
const atConsent = (who: ProbedRequest['who'], word: string): ProbedRequest => ({
  who,
  async ask(email) {
    const { browser, page } = await started(platform, config)
    return async () => {
      const { status, text } = await browser.submit(page, 'sign-in', { email, password: word })
      return [status, text.replaceAll(/interaction\/[\w-]+/g, '').replaceAll(email, '')].join('\n')
    }
  },
})

const reset = { code: '12345678', newPassword: 'Better horse 8!' }
const probedRequests: Readonly<Record<string, ProbedRequest>> = {
  'a wrong password': posted('login', 'somebody', { password: 'Wrong horse 7!' }),
  'the right password, in another organization': posted('login', 'somebody', { password, organizationId: newId() }),
  'a password for an account without a password': posted('login', 'somebody without a password', { password }),
  'the right password of a former user': posted('login', 'somebody who is deactivated', { password }),
  'a forgotten password': posted('forgot-password', 'somebody'),
  'a forgotten password of a former user': posted('forgot-password', 'somebody who is deactivated'),
  'a sign-in link': posted('magic-link', 'somebody'),
  'a wrong code': posted('verify-reset-code', 'somebody', { code: reset.code }),
  'a reset with a wrong code': posted('reset-password', 'somebody', reset),
  'a wrong password at the consent page': atConsent('somebody', 'Wrong horse 7!'),
  'the password of a former user at the consent page': atConsent('somebody who is deactivated', password),
}

async function timeOfHash(): Promise<number> {
  const startedMs = performance.now()
  await hashPassword(password)
  return performance.now() - startedMs
}

/** Other work on the machine affects only slow requests, so fast ones are compared. */
const quick = (samples: readonly number[]): number => samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 4)]!

const rounds = 8
const roundsMax = 64

async function timeOf(probedRequest: ProbedRequest, email: string): Promise<number> {
  const ask = await probedRequest.ask(email)
  const startedMs = performance.now()
  await ask()
  return performance.now() - startedMs
}

describe('the existence of an account', () => {
  it.each(Object.entries(probedRequests))('does not show in the response to %s', async (_, { who, ask }) => {
    platform.advanceClock(3_600_000)
    const [known, unknown] = [await (await ask(accounts[who]))(), await (await ask(unknownEmail))()]
    expect(unknown).toBe(known)
    expect(unknown).toMatch(/^(200|400|401)\n/)
  })

  it.each(Object.entries(probedRequests))('does not show in the response time of %s', async (_, probedRequest) => {
    const times = { known: [] as number[], unknown: [] as number[], hash: [] as number[] }
    const difference = () => Math.abs(quick(times.known) - quick(times.unknown))
    const isSame = () => difference() < quick(times.hash) / 2
    for (let round = 0; round < roundsMax; round++) {
      // Time passes, so that no request is throttled.
      platform.advanceClock(3_600_000)
      times.known.push(await timeOf(probedRequest, accounts[probedRequest.who]))
      times.unknown.push(await timeOf(probedRequest, unknownEmail))
      times.hash.push(await timeOfHash())
      if ((round + 1) % rounds === 0 && isSame()) return
    }
    expect.fail(`${JSON.stringify({ difference: difference(), hash: quick(times.hash) })} ms`)
  })
})

describe('authRegister, which reveals it,', () => {
  const registering = async (email: string, headers: Record<string, string>) => {
    const response = await fetch(`${platform.url}/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ email, password: 'Wrong horse 7!' }),
    })
    const { code } = (await response.json()) as { code?: string }
    return `${response.status} ${code ?? ''}`.trim()
  }

  it('reveals it at most ten times per hour to one client address, which then cannot register, and mails the person', async () => {
    platform.advanceClock(3_600_000)
    const organizationId = await platform.organization()
    const known = Array.from({ length: 11 }, anEmail)
    const user = {
      name: 'Ann Lee',
      role: 'MEMBER',
      visibility: 'OWN',
      passwordHash: await hashPassword(password),
    } as const
    for (const email of known) await createUser(platform.services, organizationId, { ...user, email })
    const from = client()
    const answers: string[] = []
    for (const email of known) answers.push(await registering(email, from))
    expect(answers).toEqual([...Array<string>(10).fill('409 UNIQUE_VIOLATION'), '429 SIGN_IN_THROTTLED'])
    const unknown = anEmail()
    expect(await registering(unknown, from)).toBe('429 SIGN_IN_THROTTLED')
    expect(await platform.query('select 1 from identity.person where email = $1', [unknown])).toEqual([])
    expect(await registering(unknown, client())).toBe('201')
    expect(await mailsTo(platform, known[0]!)).toMatchObject([{ subject: 'You have an account already' }])
  })
})
