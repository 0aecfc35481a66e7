import { describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform } from '../platform.ts'
import { anApp, aPerson, type App } from './oauth.fixture.ts'

const platform = usePlatform({ TRUST_PROXY: '127.0.0.1,::1' })
const quarterHour = 15 * 60_000
let hosts = 0
const anAddress = () => `198.51.100.${++hosts}`

const anyApp = async (): Promise<App> => anApp(await aPerson(platform, { role: 'ADMIN' }))

interface Attempt {
  readonly id: string
  readonly secret: string
  readonly ip?: string
  readonly at?: 'token' | 'revoke' | 'introspect'
  readonly isPosted?: boolean
}

async function attempt({ id, secret, ip = anAddress(), at = 'token', isPosted = false }: Attempt) {
  const form = new URLSearchParams(
    at === 'token' ? { grant_type: 'client_credentials', scope: 'READ_ACCOUNTS' } : { token: 'x' },
  )
  if (isPosted)
    Object.entries({ client_id: id, client_secret: secret }).forEach(([name, value]) => form.set(name, value))
  const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const response = await fetch(`${platform.url}/v1/oauth/${at}`, {
    method: 'POST',
    headers: { 'x-forwarded-for': ip, ...(!isPosted && { authorization: basic }) },
    body: form,
  })
  const text = await response.text()
  const { error } = (text ? JSON.parse(text) : {}) as { error?: string }
  return { outcome: error ? `${response.status} ${error}` : String(response.status), headers: response.headers }
}

const repeated = async (times: number, one: () => ReturnType<typeof attempt>) => {
  const answers: string[] = []
  for (let count = 0; count < times; count++) answers.push((await one()).outcome)
  return answers
}
const wrong = '401 invalid_client'

describe.each(['token', 'revoke', 'introspect'] as const)('/v1/oauth/%s', (at) => {
  it('answers 401 to ten wrong secrets for a client from one address, then 429 to every secret from there for 15 minutes', async () => {
    const ip = anAddress()
    const { id, secret } = await anyApp()
    let posted = 0
    const guesses = await repeated(10, () => attempt({ id, secret: newId(), ip, at, isPosted: ++posted % 2 === 0 }))
    expect(guesses).toEqual(Array<string>(10).fill(wrong))
    const refused = await attempt({ id, secret: secret!, ip, at })
    expect([refused.outcome, refused.headers.get('retry-after')]).toEqual(['429 temporarily_unavailable', '900'])
    expect(refused.headers.get('api-version')).toBe(platform.contract.version)
    platform.advanceClock(quarterHour - 1000)
    const late = await attempt({ id, secret: secret!, ip, at })
    expect([late.outcome, late.headers.get('retry-after')]).toEqual(['429 temporarily_unavailable', '1'])
    platform.advanceClock(1000)
    expect((await attempt({ id, secret: secret!, ip, at })).outcome).toBe('200')
  })

  it('does not block an app at its own address, for any number of wrong secrets from other addresses', async () => {
    const { id, secret } = await anyApp()
    const one = anAddress()
    await repeated(12, () => attempt({ id, secret: 'x', ip: one, at }))
    expect(await repeated(40, () => attempt({ id, secret: 'x', at }))).toEqual(Array<string>(40).fill(wrong))
    expect((await attempt({ id, secret: secret!, at })).outcome).toBe('200')
    expect((await attempt({ id, secret: secret!, ip: one, at })).outcome).toBe('429 temporarily_unavailable')
  })
})

describe('wrong client secrets', () => {
  it('from one address are limited to fifty in total, for existing and unknown clients; other addresses are not affected', async () => {
    const ip = anAddress()
    const { id, secret } = await anyApp()
    const guesses = await repeated(50, () => attempt({ id: newId(), secret: 'x', ip }))
    expect(guesses).toEqual(Array<string>(50).fill(wrong))
    expect((await attempt({ id, secret: secret!, ip })).outcome).toBe('429 temporarily_unavailable')
    expect((await attempt({ id, secret: secret! })).outcome).toBe('200')
    platform.advanceClock(quarterHour)
    expect((await attempt({ id, secret: secret!, ip })).outcome).toBe('200')
  })

  it('do not exceed the limit when they arrive concurrently', async () => {
    const ip = anAddress()
    const { id } = await anyApp()
    const answers = await Promise.all(Array.from({ length: 25 }, () => attempt({ id, secret: 'x', ip })))
    expect(answers.filter(({ outcome }) => outcome === wrong)).toHaveLength(10)
    expect(answers.filter(({ outcome }) => outcome === '429 temporarily_unavailable')).toHaveLength(15)
  })

  it('are counted, right secrets are not, and each client has a separate count', async () => {
    const ip = anAddress()
    const [app, other] = [await anyApp(), await anyApp()]
    await repeated(9, () => attempt({ id: app.id, secret: 'x', ip }))
    const right = await repeated(12, () => attempt({ id: app.id, secret: app.secret!, ip }))
    expect(right).toEqual(Array<string>(12).fill('200'))
    expect((await attempt({ id: app.id, secret: 'x', ip })).outcome).toBe(wrong)
    expect((await attempt({ id: app.id, secret: 'x', ip })).outcome).toBe('429 temporarily_unavailable')
    expect((await attempt({ id: other.id, secret: other.secret!, ip })).outcome).toBe('200')
  })

  it('cannot lock out an app without a secret', async () => {
    const owner = await aPerson(platform, { role: 'ADMIN' })
    const { id } = await anApp(owner, { type: 'PUBLIC' })
    const ip = anAddress()
    const guesses = await repeated(12, () => attempt({ id, secret: 'x', ip }))
    expect(guesses).toEqual(Array<string>(12).fill(wrong))
  })
})
