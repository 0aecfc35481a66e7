import { expect, it } from 'vitest'
import { PersistedQueries } from './persisted-queries.ts'

it('keeps 16 MB of documents, those that were asked for last', async () => {
  const queries = new PersistedQueries()
  for (let number = 0; number < 40_000; number++) await queries.set(`hash${number}`, `{ a${number}: flag }`)
  expect(queries.bytes).toBeLessThanOrEqual(16_000_000)
  expect(await queries.get('hash39999')).toBe('{ a39999: flag }')
  expect(await queries.get('hash0')).toBeUndefined()
})
