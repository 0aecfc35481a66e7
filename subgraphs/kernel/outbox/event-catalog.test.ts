import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EventCatalog, eventCatalog } from './event-catalog.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'event-catalog-'))
  await mkdir(join(folder, 'lead'))
})
afterEach(() => rm(folder, { recursive: true }))

async function write(verb: string, version: number, description: string): Promise<void> {
  const schema = { description, properties: { object: { const: 'lead' } } }
  await writeFile(join(folder, 'lead', `${verb}.v${version}.json`), JSON.stringify(schema))
  await writeFile(join(folder, 'lead', `${verb}.v${version}.sample.json`), JSON.stringify({ object: 'lead', version }))
}

describe('the event catalog', () => {
  it('keeps the former versions of a type beside the current one', async () => {
    await write('created', 1, 'A lead was created.')
    await write('created', 2, 'A lead was created, with its score.')
    await write('created', 10, 'A lead was created, with its grade.')
    await write('deleted', 1, 'A lead was deleted.')
    const catalog = new EventCatalog(folder)
    expect(catalog.entries.map(({ name, isCurrent }) => [name, isCurrent])).toEqual([
      ['lead.created@10', true],
      ['lead.created@2', false],
      ['lead.created@1', false],
      ['lead.deleted@1', true],
    ])
    expect(catalog.find('lead.created')).toMatchObject({ version: 10, sample: { version: 10 } })
    expect(catalog.find('lead.created@2')).toMatchObject({ description: 'A lead was created, with its score.' })
    expect(catalog.find('lead.created@3')).toBeNull()
    expect(catalog.find('toString')).toBeNull()
  })

  it('has every printed type', () => {
    expect(eventCatalog().find('lead.created@1')).toMatchObject({
      type: 'lead.created',
      object: 'lead',
      isCurrent: true,
    })
    expect(eventCatalog().find('case.comment_added')).toMatchObject({ object: 'case_comment' })
  })
})
