import { parse } from 'graphql'
import { expect, it } from 'vitest'
import { Fetched } from './fetched.ts'
import { librarySupergraph } from './library.fixture.ts'
import { operationParts } from './operation.ts'
import { ObjectShape, type ValueShape } from './shape.ts'
import { LoadedSupergraph } from './supergraph.ts'

const supergraph = new LoadedSupergraph(librarySupergraph)

/** How each part of the answer to a query is built, by its path. */
function shapesOf(source: string): Record<string, string> {
  const document = parse(source)
  const { operation, fragments } = operationParts(document, null)
  const fetched = Fetched.of(supergraph, supergraph.plan(document))
  const reading = { schema: supergraph.apiSchema, fragments, fetched }
  const shapes: Record<string, string> = {}
  const describeValue = (value: ValueShape, path: string): void => {
    shapes[path] = value.kind
    if (value.kind === 'list') describeValue(value.item, `${path}[]`)
    if (value.kind === 'object') describeObject(value.object, `${path}.`)
  }
  const describeObject = (object: ObjectShape, path: string): void => {
    for (const { key, value } of object.of(object.type.name)!.fields) if (value) describeValue(value, path + key)
  }
  describeObject(new ObjectShape(reading, supergraph.apiSchema.getQueryType()!, [operation.selectionSet]), '')
  return shapes
}

const book = { book: 'object', 'book.title': 'leaf' }

it('the data is the answer where one subgraph was asked for exactly what the client selects', () => {
  const query = `{ book(id: "b1") { title reviews { ...R replies { body } } } } fragment R on Review { stars id }`
  expect(shapesOf(query)).toEqual({ ...book, 'book.reviews': 'answer' })
})

it.each([
  ['another subgraph adds to it', 'id book { title }', { id: 'leaf', book: 'object', 'book.title': 'leaf' }],
  ['its type is abstract', 'id subject { __typename }', { id: 'leaf', subject: 'object' }],
])('the answer is built where %s', (_why, selection, parts) => {
  const below = Object.entries(parts).map(([key, kind]) => [`book.reviews[].${key}`, kind] as const)
  expect(shapesOf(`{ book(id: "b1") { title reviews { ${selection} } } }`)).toEqual({
    ...book,
    'book.reviews': 'list',
    'book.reviews[]': 'object',
    ...Object.fromEntries(below),
  })
})

it('nothing is known of the data of a plan that renames what it fetches', () => {
  const query = '{ items { ... on Book { reviews { id } } ... on Film { reviews { id } } } }'
  const plan = supergraph.plan(parse(query))
  expect([JSON.stringify(plan).includes('outputRewrites'), Fetched.of(supergraph, plan)]).toEqual([true, null])
})
