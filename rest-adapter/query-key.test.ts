import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { takeKeyFromQuery } from './query-key.ts'

function taken(url: string) {
  const credentials = { authorization: 'Bearer other', cookie: 'session=other', 'x-api-key': 'other' }
  const req = { url, headers: { ...credentials, accept: '*/*' } } as unknown as IncomingMessage
  takeKeyFromQuery(req, 'api_key')
  return [req.url, req.headers]
}

describe('a key in the query', () => {
  it.each([
    ['/hook?api_key=crm_live_1', '/hook?api_key=***', 'crm_live_1'],
    ['/hook?a=1&api_key=crm%5flive_1&b=2', '/hook?a=1&api_key=***&b=2', 'crm_live_1'],
    ['/hook?%61pi_key=crm_live_1', '/hook?api_key=***', 'crm_live_1'],
    ['/hook?api_key=crm_live_1&api%5Fkey=crm_live_2', '/hook?api_key=***&api_key=***', 'crm_live_1'],
    ['/hook?api_key=a=b?c', '/hook?api_key=***', 'a=b?c'],
  ])('of %s is the only credential, and masked', (url, masked, key) =>
    expect(taken(url)).toEqual([masked, { accept: '*/*', 'x-api-key': key }]),
  )

  it.each(['/hook', '/hook?api_keys=1', '/hook?a=api_key'])('that %s lacks is not in headers either', (url) =>
    expect(taken(url)).toEqual([url, { accept: '*/*' }]),
  )
})
