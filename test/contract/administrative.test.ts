import { expect, it } from 'vitest'
import '../../subgraphs/all.ts'
import type { RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { recordTypeIn, recordTypeNamesIn } from '../../subgraphs/kernel/record/custom-object.ts'
import { searchedShapes } from '../../subgraphs/kernel/search/searched-types.ts'
import { restContract } from '../contract-of-rest.ts'

const { operations, document } = restContract()

/** The roles that may list the records of a type: null for all; undefined if REST lists none. */
function rolesOf({ entity }: RecordShape): readonly string[] | null | undefined {
  const { name } = entity as { readonly name: string }
  const list = operations.find(({ documentId }) => documentId === `${name[0]!.toLowerCase()}${name.slice(1)}List`)
  return list && (document.paths[list.path]![list.method]!['x-required-roles'] ?? null)
}

const namesOf = (shapes: readonly RecordShape[]): string[] => shapes.map(({ object }) => object)

const listed = recordTypeNamesIn({ shapes: null })
  .map((name) => recordTypeIn({ shapes: null }, name)!)
  .filter((shape) => rolesOf(shape) !== undefined)

it('the record types that only administrators may list are administrative', () => {
  expect(listed.length).toBeGreaterThan(25)
  expect(namesOf(listed.filter(rolesOf))).toEqual(namesOf(listed.filter(({ isAdministrative }) => isAdministrative)))
})

it('every role may list what is searched', () => {
  expect(namesOf(searchedShapes(null).filter(rolesOf))).toEqual([])
})
