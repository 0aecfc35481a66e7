import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { usePlatform } from '../platform.ts'
import { flawsOf, refusedBy, refusedWith } from '../requests/problem.ts'
import { send, type RawResponse } from '../requests/send.ts'

const platform = usePlatform()

/** Everything that the server sends in response to these bytes until it closes the connection. */
async function answersTo(bytes: string): Promise<RawResponse[]> {
  const { hostname, port } = new URL(platform.url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  return (await text(socket)).split(/(?=HTTP\/1\.1 \d{3} )/).map(received)
}

function received(answer: string): RawResponse {
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2)
  const [start = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => line.split(/: (.*)/, 2)).map(([k, v]) => [k!.toLowerCase(), v]),
  )
  return { status: Number(start.split(' ')[1]), headers, text: body, body: JSON.parse(body) }
}

const host = 'Host: here\r\n'

describe('bytes that are not a valid request', () => {
  it.each([
    ['no HTTP', 'hello\r\n\r\n', 'MALFORMED_REQUEST'],
    ['a header without a name', `GET /v1/accounts HTTP/1.1\r\n${host}: x\r\n\r\n`, 'MALFORMED_REQUEST'],
    [
      'two lengths',
      `POST /v1/accounts HTTP/1.1\r\n${host}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
      'MALFORMED_REQUEST',
    ],
    [
      'headers over 32,768 bytes',
      `GET /v1/accounts HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(32_768)}\r\n\r\n`,
      'HEADERS_TOO_LARGE',
    ],
  ] as const)('is refused with the error body: %s', async (_, bytes, code) => {
    const answers = await answersTo(bytes)
    expect(answers.map(refusedBy)).toEqual([refusedWith(code)])
    expect(flawsOf({ method: 'GET', path: '/' }, answers[0]!)).toEqual([])
    expect(answers[0]!.headers).toMatchObject({ 'api-version': expect.any(String), connection: 'close' })
  })

  it('are refused with the error body, also if much more is sent than is read', async () => {
    const path = `/v1/accounts?search=${'x'.repeat(1_000_000)}`
    expect(refusedBy(await send(platform.url, { method: 'GET', path }))).toEqual(refusedWith('HEADERS_TOO_LARGE'))
  })

  it('end the connection after the response to the previous request', async () => {
    const found = await answersTo(`GET /v1/nothing HTTP/1.1\r\n${host}\r\nhello\r\n\r\n`)
    expect(found.map(refusedBy)).toEqual([refusedWith('NOT_FOUND')])
  })

  it('are refused inside the body of a request, which gets one answer', async () => {
    const { headers } = await platform.member({ role: 'OWNER' })
    const head = `POST /v1/accounts HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`
    const body = '\r\n2\r\n{"\r\nzz\r\n'
    const found = await answersTo(`${head}x-api-key: ${headers['X-API-Key']}\r\n${body}`)
    expect(found.map(refusedBy)).toEqual([refusedWith('MALFORMED_REQUEST')])
    // The headers alone decide that a request without a credential is refused.
    const anonymous = await answersTo(head + body)
    expect(anonymous.map(refusedBy)).toEqual([refusedWith('UNAUTHENTICATED')])
  })
})

describe('an expectation', () => {
  it('that cannot be met is refused with the error body', async () => {
    const request = `GET /v1/accounts HTTP/1.1\r\n${host}Expect: a miracle\r\nConnection: close\r\n\r\n`
    const [answer] = await answersTo(request)
    expect(refusedBy(answer!)).toEqual(refusedWith('EXPECTATION_FAILED'))
    expect(flawsOf({ method: 'GET', path: '/v1/accounts' }, answer!)).toEqual([])
  })
})
