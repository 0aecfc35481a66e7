import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { restContract } from '../contract-of-rest.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'

const { operations } = restContract()
const platform = usePlatform()
let authorization: string
beforeAll(async () => {
  authorization = `Bearer ${await sessionOf(platform, await platform.member({ role: 'OWNER' }))}`
})

// An absent key is no missing parameter, but a missing credential.
const asking = operations.flatMap(({ id, method, path, parameters, keyParameter }) => {
  if (keyParameter !== null) return []
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  return required.length > 0 ? [[id, { method, path, names: required.map(({ name }) => name) }] as const] : []
})

describe.each(asking)('%s', (_, { method, path, names }) => {
  it.each(['', '?x=1'])('names every parameter that is missing (%s)', async (query) => {
    const at = path.replaceAll('{id}', newId()).replaceAll(/\{\w+\}/g, 'zoom')
    const response = await fetch(`${platform.url}${at}${query}`, {
      method: method.toUpperCase(),
      // Unknown parameters would be refused first.
      headers: { authorization, prefer: 'handling=lenient' },
    })
    const { code, errors } = (await response.json()) as { code: string; errors: unknown }
    expect([response.status, code, errors]).toEqual([
      400,
      'VALIDATION_FAILED',
      names.map((name) => ({ path: name, code: 'REQUIRED', message: `${name} is required.` })),
    ])
  })
})

it('covers at least the operations that are known to require parameters', () => {
  expect(asking.map(([id]) => id)).toEqual(
    expect.arrayContaining(['authMagicLink', 'authVerifyEmail', 'explainAccess']),
  )
})
