import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeResponse } from './response.ts'
import type { RestOperation } from './rest-operation.ts'

let [success, result, url]: [object, unknown, string] = [{}, null, '']
let path = '/things'
const server = createServer((_req, res) => {
  try {
    const operation = { success, path } as unknown as RestOperation
    writeResponse(operation, result, { isReplayed: false, url, shaped: null }, res)
  } catch (error) {
    res.writeHead(500).end((error as Error).message)
  }
})
beforeAll(() => new Promise<void>((done) => server.listen(0, '127.0.0.1', done)))
afterAll(() => void server.close())

async function answer(given: { success: object; result: unknown; url?: string }) {
  ;({ success, result, url = '/v1/things' } = given)
  const { status, headers } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return { status, headers, injected: headers.get('x-injected') }
}

const texts: [string, string][] = [
  ['Q-000001', 'Q-000001'],
  ['A\r\nX-Injected: 1', 'A__X-Injected:_1'],
  ['A"; filename="b', 'A_;_filename=_b'],
  ['Müller \\ Łódź', 'M_ller_____d_'],
  ['請求書\u2028', '____'],
  ['A\u0000\u007F', 'A__'],
  ['\u{1F600}', '_'],
]

describe('a file', () => {
  it.each(texts)('named %j has one name of visible ASCII characters', async (name, shown) => {
    const file = { filename: `${name}.pdf`, content: '', version: 1, contentHash: 'h' }
    const { status, headers, injected } = await answer({ success: { fileType: 'application/pdf' }, result: file })
    const disposition = headers.get('content-disposition')
    expect([status, disposition, injected]).toEqual([200, `attachment; filename="${shown}.pdf"`, null])
  })
})

describe('a new record', () => {
  it.each(texts)('with the id %j has a Location that leads to it', async (id) => {
    const success = { fileType: null, headers: new Set(['Location']), unversioned: [], hasBody: true }
    const created = { ...success, status: 201, otherwise: null, property: null }
    const { status, headers, injected } = await answer({ success: created, result: { id }, url: '/v1/things/?a=b' })
    const location = headers.get('location')!
    expect([status, decodeURIComponent(location), injected]).toEqual([201, `/v1/things/${id}`, null])
    expect(location).toMatch(/^[!-~]+$/)
  })
})

describe('an upsert', () => {
  it.each([
    [true, 201, '/v1/things/7'],
    [false, 200, null],
  ])(
    'that has created a record (%s) is answered with %i and the Location %s',
    async (isCreated, expected, location) => {
      path = '/v1/things/by/{field}/{value}'
      const success = {
        status: 201,
        otherwise: { status: 200, property: 'isCreated' },
        property: 'record',
        fileType: null,
        headers: new Set(['Location', 'ETag']),
        unversioned: [],
        hasBody: true,
      }
      const result = { isCreated, record: { id: '7', version: 2 } }
      const { status, headers } = await answer({ success, result, url: '/v1/things/by/externalId/a%2Fb?x=1' })
      expect([status, headers.get('location'), headers.get('etag')]).toEqual([expected, location, '"2"'])
    },
  )
})
