import { describe, expect, it } from 'vitest'
import { OutboundError, type OutboundAnswer, type OutboundRequest } from '../../kernel/outbound/outbound.ts'
import { isHostPattern, whyNotAllowed } from './allowed-host.ts'
import { fetchFor } from './fetch.ts'

const answer = (status: number, headers: Record<string, string> = {}, body = ''): OutboundAnswer => ({
  status,
  headers,
  body: Buffer.from(body),
})

/** What is sent, and the answers in their order. */
function wire(...answers: readonly OutboundAnswer[]) {
  const requests: OutboundRequest[] = []
  const send = (request: OutboundRequest) => Promise.resolve(answers[requests.push(request) - 1]!)
  const rights = { allowedHosts: ['api.example.com', '*.example.org'], depth: 3 }
  return { requests, call: (...given: readonly unknown[]) => fetchFor(send, rights, given, () => 1000) }
}

describe('allowed hosts', () => {
  it.each([
    ['https://api.example.com/a', true],
    ['https://API.Example.com:443/', true],
    ['https://x.api.example.com/', false],
    ['https://a.example.org/', true],
    ['https://a.b.example.org/', true],
    ['https://example.org/', false],
    ['https://aexample.org/', false],
    ['https://api.example.com./', false],
    ['https://api.example.com.evil.net/', false],
    ['https://user@api.example.com/', false],
    ['https://api.example.com:8443/', false],
    ['http://api.example.com/', false],
    ['https://127.0.0.1/', false],
    ['https://[::1]/', false],
  ])('%s: %s', (url, isAllowed) => {
    expect(whyNotAllowed(new URL(url), ['api.example.com', '*.example.org']) === null).toBe(isAllowed)
  })

  it.each([
    '127.0.0.1',
    '2130706433',
    '0x7f.0.0.1',
    '::1',
    'localhost',
    '*',
    '*.',
    '*.com',
    '*.*.example.com',
    'a_b.com',
    '',
  ])('are no patterns: %s', (text) => expect(isHostPattern(text)).toBe(false))
})

describe('fetch of a function', () => {
  it('sends the depth and what the function gives', async () => {
    const { requests, call } = wire(answer(201, { 'X-A': 'b' }, 'made'))
    const init = { method: 'post', headers: { Authorization: 'Bearer x' }, body: '{}' }
    expect(await call('https://api.example.com/v1#part', init)).toEqual({
      url: 'https://api.example.com/v1',
      status: 201,
      headers: { 'X-A': 'b' },
      body: 'made',
    })
    expect(requests).toEqual([
      {
        method: 'POST',
        url: 'https://api.example.com/v1',
        headers: { authorization: 'Bearer x', 'x-service-function-depth': '3' },
        body: '{}',
        timeoutMs: 1000,
        answerBytesMax: 1_048_576,
      },
    ])
  })

  it('follows three redirects, and gives credentials to the first origin only', async () => {
    const to = (location: string, status = 302) => answer(status, { location })
    const { requests, call } = wire(to('/b', 307), to('https://a.example.org/c'), to('/d', 301), answer(200))
    const init = { method: 'POST', headers: { Authorization: 'x', 'Content-Type': 'text/plain' }, body: 'y' }
    expect((await call('https://api.example.com/a', init)).url).toBe('https://a.example.org/d')
    const depth = { 'x-service-function-depth': '3' }
    expect(requests.map(({ method, url, headers, body }) => [method, url, headers, body])).toEqual([
      ['POST', 'https://api.example.com/a', { authorization: 'x', 'content-type': 'text/plain', ...depth }, 'y'],
      ['POST', 'https://api.example.com/b', { authorization: 'x', 'content-type': 'text/plain', ...depth }, 'y'],
      ['GET', 'https://a.example.org/c', depth, undefined],
      ['GET', 'https://a.example.org/d', depth, undefined],
    ])
    const endless = wire(...Array.from({ length: 5 }, () => to('/again')))
    await expect(endless.call('https://api.example.com/')).rejects.toThrow('fetch follows at most 3 redirects.')
    expect(endless.requests.length).toBe(4)
  })

  it('does not follow a redirect to another host', async () => {
    const { requests, call } = wire(answer(302, { location: 'https://10.0.0.1/' }))
    await expect(call('https://api.example.com/')).rejects.toThrow('does not contain 10.0.0.1')
    expect(requests.length).toBe(1)
  })

  it.each([
    ['the header host', { headers: { Host: 'other.example.com' } }],
    ['the depth', { headers: { 'X-Service-Function-Depth': '0' } }],
    ['a line break in a header', { headers: { A: 'b\r\nc' } }],
    ['an unknown method', { method: 'TRACE' }],
    ['a body of GET', { body: 'x' }],
    ['a body of more than 1 MB', { method: 'POST', body: 'x'.repeat(1_048_577) }],
    ['headers that are a text', { headers: 'x' }],
  ])('refuses %s, and sends nothing', async (_, init) => {
    const { requests, call } = wire(answer(200))
    await expect(call('https://api.example.com/', init)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
    expect(requests).toEqual([])
  })

  it('tells the function why nothing was reached', async () => {
    const send = () => Promise.reject(new OutboundError('UNREACHABLE', 'The name of the host does not exist.'))
    const rights = { allowedHosts: ['api.example.com'], depth: 1 }
    await expect(fetchFor(send, rights, ['https://api.example.com/'], () => 1)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'fetch failed: The name of the host does not exist.',
    })
  })
})
