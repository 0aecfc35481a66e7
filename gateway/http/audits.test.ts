import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveLibrary, type Serving } from './http.fixture.ts'

const errorsAreErrors =
  'a request that is refused before it executes answers with the status of its code in every media type, as Apollo Server does, so that proxies, logs and clients that look no further see the refusal'
const noForgedRequests =
  'a GET that a foreign page can make a browser send is refused (CSRF); with a preflight header it is answered'

/** What the audits recommend and we do not do. None of them is a MUST. */
const declined: Readonly<Record<string, string>> = {
  '572B': errorsAreErrors,
  FDE2: errorsAreErrors,
  '7B9B': errorsAreErrors,
  '5A70': noForgedRequests,
  D6D5: noForgedRequests,
  '6A70': noForgedRequests,
}

let serving: Serving
let key: string
beforeAll(async () => {
  serving = await serveLibrary()
  key = serving.keyWith()
})
afterAll(() => serving.close())

const withHeaders =
  (headers: Readonly<Record<string, string>>): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), ...headers } })

const auditsWith = (headers: Readonly<Record<string, string>> = {}) =>
  serverAudits({ url: () => serving.url, fetchFn: withHeaders({ 'x-api-key': key, ...headers }) })

describe('the audits of GraphQL over HTTP', () => {
  it('declines no MUST, and nothing that does not exist', () => {
    const names = new Map(serverAudits({ url: '' }).map(({ id, name }) => [id, name]))
    const words = Object.keys(declined).map((id) => names.get(id)?.split(' ', 1)[0])
    expect(new Set(words)).toEqual(new Set(['MAY', 'SHOULD']))
  })

  it.each(serverAudits({ url: '' }).map(({ id, name }) => [id, name] as const))('%s: %s', async (id) => {
    const result = await auditsWith()
      .find((audit) => audit.id === id)!
      .fn()
    expect(result.status === 'ok' ? 'ok' : 'declined').toBe(Object.hasOwn(declined, id) ? 'declined' : 'ok')
  })

  it.each(['5A70', 'D6D5', '6A70'])('%s is met when the request asks for a preflight', async (id) => {
    const result = await auditsWith({ 'apollo-require-preflight': 'true' })
      .find((audit) => audit.id === id)!
      .fn()
    expect(result.status).toBe('ok')
  })
})
