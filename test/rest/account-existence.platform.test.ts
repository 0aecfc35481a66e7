import { beforeAll, describe, expect, it } from 'vitest'
import { createUser, deactivateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { hashPassword } from '../../subgraphs/identity/password/password.ts'
import { usePlatform } from '../platform.ts'

const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const password = 'Correct horse 7!'
const anEmail = () => `u${newId()}@example.com`

/** Who has an account, and cannot come in with what is tried. */
const accounts = {
  somebody: anEmail(),
  'somebody without a password': anEmail(),
  'somebody who is deactivated': anEmail(),
}
const nobody = anEmail()

beforeAll(async () => {
  const organizationId = await platform.organization()
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

interface Asked {
  readonly path: string
  readonly body: object
  readonly who: keyof typeof accounts
}

const elsewhere = newId()
const reset = { code: '12345678', newPassword: 'Better horse 8!' }
const questions: Readonly<Record<string, Asked>> = {
  'a wrong password': { path: 'login', body: { password: 'Wrong horse 7!' }, who: 'somebody' },
  'the right password, in another organization': {
    path: 'login',
    body: { password, organizationId: elsewhere },
    who: 'somebody',
  },
  'a password where there is none': { path: 'login', body: { password }, who: 'somebody without a password' },
  'the right password of a former user': { path: 'login', body: { password }, who: 'somebody who is deactivated' },
  'a forgotten password': { path: 'forgot-password', body: {}, who: 'somebody' },
  'a forgotten password of a former user': { path: 'forgot-password', body: {}, who: 'somebody who is deactivated' },
  'a sign-in link': { path: 'magic-link', body: {}, who: 'somebody' },
  'a wrong code': { path: 'verify-reset-code', body: { code: reset.code }, who: 'somebody' },
  'a reset with a wrong code': { path: 'reset-password', body: reset, who: 'somebody' },
}

let addresses = 0

async function answerTo({ path, body }: Asked, email: string): Promise<{ text: string; durationMs: number }> {
  const from = ++addresses
  const startedMs = performance.now()
  const response = await fetch(`${platform.url}/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.1.${from >> 8}.${from & 255}` },
    body: JSON.stringify({ email, ...body }),
  })
  const text = await response.text()
  const durationMs = performance.now() - startedMs
  const requestId = response.headers.get('x-request-id')!
  const headers = Array.from(response.headers, ([name, value]) => `${name}: ${name === 'date' ? '' : value}`)
  const whole = [response.status, ...headers, text].join('\n').replaceAll(requestId, '')
  return { text: whole, durationMs }
}

async function timeOfHash(): Promise<number> {
  const startedMs = performance.now()
  await hashPassword(password)
  return performance.now() - startedMs
}

/** What a busy machine adds falls on the slow ones. */
const quick = (samples: readonly number[]): number => samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 4)]!

const rounds = 8
const roundsMax = 64

describe('whether an account exists', () => {
  it.each(Object.entries(questions))('is told by no byte of the answer to %s', async (_, asked) => {
    platform.pass(3_600_000)
    const [known, unknown] = [await answerTo(asked, accounts[asked.who]), await answerTo(asked, nobody)]
    expect(unknown.text).toBe(known.text)
    expect(unknown.text).toMatch(asked.path === 'login' ? /^401\n/ : /^(200|400)\n/)
  })

  it.each(Object.entries(questions))('is not told by how long the answer to %s takes', async (_, asked) => {
    const times = { known: [] as number[], unknown: [] as number[], hash: [] as number[] }
    const difference = () => Math.abs(quick(times.known) - quick(times.unknown))
    const isSame = () => difference() < quick(times.hash) / 2
    for (let round = 0; round < roundsMax; round++) {
      // Nothing is throttled.
      platform.pass(3_600_000)
      times.known.push((await answerTo(asked, accounts[asked.who])).durationMs)
      times.unknown.push((await answerTo(asked, nobody)).durationMs)
      times.hash.push(await timeOfHash())
      if ((round + 1) % rounds === 0 && isSame()) return
    }
    expect.fail(`${JSON.stringify({ difference: difference(), hash: quick(times.hash) })} ms`)
  })
})
