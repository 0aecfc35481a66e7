import 'reflect-metadata'
import { expect, it, onTestFinished } from 'vitest'
import { account } from '../../subgraphs/crm/account/account.record.ts'
import { readPage } from '../../subgraphs/kernel/record/list.ts'
import { builtInShapes } from '../../subgraphs/kernel/record/shape-source.ts'
import { systemContext, type Services } from '../../subgraphs/kernel/request.ts'

it('a failed count of a refused page fails only the request, not the process', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  const database = { query: () => Promise.reject(new Error('the connection is lost')) }
  const ctx = systemContext(
    { database, shapes: builtInShapes, extensions: { of: () => null } } as unknown as Services,
    '0199d1a0-0000-7000-8000-000000000000',
  )

  const asked = { page: new Set<string>(), record: new Set(['id']), total: true }
  const refused = readPage(ctx, account, { search: 'a', cursor: 'garbage' }, asked)

  await expect(refused).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  // Node reports unhandled rejections after the microtasks.
  await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
})
