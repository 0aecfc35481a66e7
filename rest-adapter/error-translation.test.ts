import { describe, expect, it } from 'vitest'
import { Refusal } from '../subgraphs/kernel/errors.ts'
import { partsContract } from './rest.fixture.ts'
import { ErrorTranslation } from './error-translation.ts'

const operation = (id: string) => partsContract.operations.find((candidate) => candidate.id === id)!
const list = new ErrorTranslation({
  ...operation('partList'),
  document: `query($kind: String, $since: String, $limit: Int, $ids: [ID!], $customFields: JSON) { result: partList(
    filter: { name: { eq: $kind }, or: [{ createdAt: { gt: $since } }, { id: { in: $ids } }], customFields: $customFields }
    orderBy: [{ field: $since, direction: $kind }] page: { size: $limit } mode: FAST) { id } }`,
})
const refusal = (path: string, message = `You may not read ${path}.`) =>
  new Refusal('FIELD_NOT_READABLE', message, { errors: [{ path, code: 'X', message }] })

function converted(translation: ErrorTranslation, refused: unknown, variables = {}) {
  const { message, extensions } = translation.toRest(refused, variables) as Refusal
  const [problem] = extensions['errors'] as { path: string; message: string }[]
  return [problem!.path, problem!.message, message]
}

describe('ErrorTranslation', () => {
  it.each([
    ['filter.name', 'kind'],
    ['filter.name.eq', 'kind'],
    ['filter.or.0.createdAt', 'since'],
    ['filter.or.1.id.in.2', 'ids.2'],
    ['filter.customFields', 'customFields'],
    ['filter.customFields.tier', 'customFields.tier'],
    ['page', 'limit'],
    // Coercion reports variables by their names.
    ['ids.3', 'ids.3'],
    // Paths that are not in the document stay unchanged.
    ['mode', 'mode'],
    ['filter.name2', 'filter.name2'],
    ['name', 'name'],
    ['', ''],
  ])('converts %s to %s, in the path and in the message', (path, expected) => {
    expect(converted(list, refusal(path))).toEqual([expected, ...Array(2).fill(`You may not read ${expected}.`)])
  })

  it('names the first variable of an argument that was sent, or the first variable if none was', () => {
    expect(converted(list, refusal('orderBy'), { kind: 'x' })[0]).toBe('kind')
    expect(converted(list, refusal('orderBy'), { kind: 'x', since: 'y' })[0]).toBe('since')
    expect(converted(list, refusal('orderBy'))[0]).toBe('since')
  })

  it('does not change words that only contain the path', () => {
    const message = 'page of page.x pages, $page, "page".'
    expect(converted(list, refusal('page', message))[1]).toBe('limit of page.x pages, $page, "limit".')
  })

  it('converts input to the whole body, and header variables to header names', () => {
    const update = new ErrorTranslation(operation('partUpdate'))
    expect(converted(update, refusal('input.name'))[0]).toBe('name')
    expect(converted(update, refusal('input', 'input is required.'))).toEqual([
      '',
      'The body is required.',
      'The body is required.',
    ])
    expect(converted(update, refusal('expectedVersion'))[0]).toBe('If-Match')
    expect(converted(update, refusal('id'))[0]).toBe('id')
  })

  it('returns errors that are not about an argument unchanged', () => {
    for (const refused of [new Error('x'), null, refusal('name'), new Refusal('NOT_FOUND', 'No.')])
      expect(list.toRest(refused, {})).toBe(refused)
  })
})
