import { describe, expect, it } from 'vitest'
import { subgraphs } from '../../all.ts'
import { bodyBytesMax } from './delivery-body.ts'
import { mergedText } from './merged-text.ts'

const update = (previous: object | null, record: object, changedFields: string[], more: object = {}) => ({
  object: 'opportunity',
  id: 'o1',
  ...(previous && { previous }),
  record,
  changedFields,
  ...more,
})

interface Merged {
  readonly id: string
  readonly data: Record<string, unknown>
}
const merged = (earlier: object, later: object): Merged =>
  JSON.parse(
    mergedText(JSON.stringify({ id: 'evt_1', data: earlier }), JSON.stringify({ id: 'evt_2', data: later })),
  ) as Merged

describe('a merged update', () => {
  it('is the later one, with what was before the earlier one and the changed fields of both', () => {
    const moved = (previousStage: string, stage: string) => ({ previousStage, stage })
    const earlier = update({ stage: 'A', name: 'x' }, { stage: 'B', name: 'y' }, ['stage', 'name'], moved('A', 'B'))
    const later = update({ stage: 'B', name: 'y' }, { stage: 'C', name: 'y' }, ['stage'], moved('B', 'C'))
    expect(merged(earlier, later)).toEqual({
      id: 'evt_2',
      data: update({ stage: 'A', name: 'x' }, { stage: 'C', name: 'y' }, ['stage', 'name'], moved('A', 'C')),
    })
  })

  it('has nothing that the later one hides, and names what either of them hides', () => {
    const custom = { budget: 5, size: 'L' }
    const earlier = update(
      { stage: 'A', owner: 'o', customFields: custom },
      { stage: 'B', owner: 'p', customFields: { budget: 6, size: 'L' } },
      ['stage', 'owner', 'customFields', 'customFields.budget'],
      { previousOwner: 'o', redactedFields: ['email'] },
    )
    const later = update(
      { stage: 'B', customFields: { size: 'L' } },
      { stage: 'C', customFields: { size: 'L' } },
      ['stage'],
      {
        previousOwner: null,
        redactedFields: ['customFields.budget', 'owner'],
      },
    )
    expect(merged(earlier, later).data).toEqual(
      update({ stage: 'A', customFields: { size: 'L' } }, { stage: 'C', customFields: { size: 'L' } }, ['stage'], {
        previousOwner: null,
        redactedFields: ['customFields.budget', 'email', 'owner'],
      }),
    )
  })

  it('says that custom fields have changed if a readable one did', () => {
    const values = (size: string) => ({ customFields: { size } })
    const earlier = update(values('L'), values('M'), ['customFields'])
    const later = update({ ...values('M'), name: 'x' }, { ...values('M'), name: 'y' }, ['name'], {
      redactedFields: ['customFields.budget'],
    })
    expect(merged(earlier, later).data).toMatchObject({
      previous: values('L'),
      changedFields: ['customFields', 'name'],
    })
    const hiding = update({ name: 'x' }, { name: 'y' }, ['name'], { redactedFields: ['customFields'] })
    const { data } = merged({ ...earlier, changedFields: ['customFields', 'customFields.size'] }, hiding)
    expect(data).toEqual(update({}, { name: 'y' }, ['name'], { redactedFields: ['customFields'] }))
  })

  it('leaves out what the earlier one has left out of `previous` and the later one of `record`', () => {
    const whole = update({ name: 'a' }, { name: 'b' }, ['name'])
    const withoutPrevious = update(null, { name: 'c' }, ['name'], { omitted: ['previous'] })
    const idOnly = update(null, { id: 'o1' }, ['name'], { omitted: ['previous', 'record'] })
    expect(merged(whole, withoutPrevious).data).toEqual(update({ name: 'a' }, { name: 'c' }, ['name']))
    expect(merged(withoutPrevious, whole).data).toEqual(
      update(null, { name: 'b' }, ['name'], { omitted: ['previous'] }),
    )
    expect(merged(idOnly, whole).data).toEqual(update(null, { name: 'b' }, ['name'], { omitted: ['previous'] }))
    expect(merged(whole, idOnly).data).toEqual(idOnly)
  })

  it('has at most as many bytes as every body', () => {
    const text = 'x'.repeat(bodyBytesMax / 2)
    const small = { text: '' }
    const shrunk = update({ text }, small, ['text'])
    const grown = update(small, { text }, ['text'])
    const { data } = merged(shrunk, grown)
    expect(data).toEqual(update(null, { text }, ['text'], { omitted: ['previous'] }))
  })
})

it('has from the earlier one exactly the added members that show a column of `previous`', () => {
  const added = subgraphs
    .flatMap(({ resources }) => resources.flatMap(({ entities = {} }) => Object.values(entities)))
    .flatMap(({ events }) => Object.values(events?.types ?? {}).flatMap(({ adds = {} }) => Object.entries(adds)))
  const before = added.filter(([name]) => /^previous[A-Z]/.test(name))
  expect(added.filter(([, path]) => path.startsWith('previous.'))).toEqual(before)
  for (const [name, path] of before)
    expect(name).toBe(path.replace(/^previous\.(.)/, (_, letter: string) => `previous${letter.toUpperCase()}`))
})
