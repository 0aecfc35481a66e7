import { readFileSync } from 'node:fs'
import { isInputObjectType, isObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import type { Schema } from '../../rest-adapter/openapi.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { callersOf } from '../callers/callers.ts'
import { operationsOfCallers, triedAt } from '../callers/tried.ts'
import { restContract } from '../contract-of-rest.ts'
import { badFields } from '../hostile/bodies.ts'
import {
  columnsOf,
  filteredFields,
  places,
  rootFields,
  wrongLiteralsAt,
  wrongLiteralsOf,
  wrongValues,
  wrongVariables,
} from '../hostile/graphql-values.ts'
import { badQueries } from '../hostile/parameters.ts'
import type { Requests, ValidRequest } from '../requests/requests.ts'
import { badValues } from '../requests/bad-values.ts'
import { fieldsOf, schemaAt, valueAt } from '../requests/schema.ts'
import { Sweep } from '../requests/sweep.ts'

const contract = restContract()
const { operations } = contract

const full = new Sweep(true)
const usual = new Sweep(false)

describe('the table of callers', () => {
  it('has every caller at every operation of a full sweep, unless another party must act first', () => {
    const missing = operationsOfCallers.flatMap((operation) => {
      const { access, refused, allowed } = triedAt(operation, full)
      const expected = callersOf(access).filter((caller) => caller.refusal(access) !== null || allowed.length > 0)
      const tried = new Set([...refused, ...allowed])
      return expected.filter((caller) => !tried.has(caller)).map(({ name }) => `${operation.id}: ${name}`)
    })
    expect(missing).toEqual([])
  })

  it('has in every run all callers whom an operation refuses itself, a refused credential, and an allowed caller', () => {
    const missing = operationsOfCallers.filter((operation) => {
      const { access, refused, allowed } = triedAt(operation, usual)
      const own = callersOf(access).filter((caller) => !caller.isRefusedEverywhere && caller.refusal(access) !== null)
      const isWhole = own.every((caller) => refused.includes(caller)) && refused.length > own.length
      return !isWhole || (triedAt(operation, full).allowed.length > 0 && allowed.length === 0)
    })
    expect(missing.map(({ id }) => id)).toEqual([])
  })
})

/** Every place of a schema, without values. */
function placesIn(given: Schema): unknown {
  const schema = schemaAt(contract, given)
  if (schema.items) return [placesIn(schema.items)]
  const properties = Object.entries(schema.properties ?? {})
  return properties.length > 0 ? Object.fromEntries(properties.map(([name, one]) => [name, placesIn(one)])) : null
}

/** A request without records: only its fields matter here. */
const requestOf = (operation: RestOperation): ValidRequest => ({
  operation,
  path: {},
  query: {},
  headers: {},
  body: operation.body ? placesIn(operation.body.schema) : undefined,
})

describe('the table of bad values', () => {
  const withBody = operations.filter(({ body }) => body !== null)
  const placesOf = (operation: RestOperation, sweep: Sweep): Map<string, number> => {
    const request = requestOf(operation)
    const bad = badFields({ contract } as Requests, request, request.body, sweep)
    return new Map([...Map.groupBy(bad, ({ what }) => what.split(': ')[0]!)].map(([at, cases]) => [at, cases.length]))
  }

  it('has every bad value of every field of every body in a full sweep, and one of them in every run', () => {
    const found = withBody.flatMap((operation) => {
      const { body } = requestOf(operation)
      const [inFull, inUsual] = [placesOf(operation, full), placesOf(operation, usual)]
      return fieldsOf(contract, operation.body!.schema).flatMap(({ path, schema }) => {
        const at = path.join('.')
        const { length } = badValues(schema, schema.items && valueAt(body, [...path, 0]))
        const isTried = inFull.get(at) === length && inUsual.has(at)
        return length === 0 || isTried ? [] : [`${operation.id}: ${at}`]
      })
    })
    expect(found).toEqual([])
  })

  it('has every parameter of every query in every run', () => {
    const found = operations.flatMap((operation) => {
      const queries = badQueries(requestOf(operation), usual).map(({ what }) => what)
      return operation.parameters
        .filter((parameter) => parameter.in === 'query' && !queries.some((what) => what.startsWith(parameter.name)))
        .map(({ name }) => `${operation.id}: ${name}`)
    })
    expect(found).toEqual([])
  })
})

/** As the gateway serves it. */
const schema = new LoadedSupergraph(readFileSync('schema/supergraph.graphql', 'utf8')).apiSchema

describe('the tables of GraphQL', () => {
  it('have every wrong value of every argument in a full sweep, and one of them in every run', () => {
    const found = rootFields(schema).flatMap((root) =>
      root[1].args.flatMap((argument) => {
        const all = wrongValues(argument.type)
        const [inFull, inUsual] = [full, usual].map((sweep) => wrongVariables(root, argument, sweep))
        const isTried = inFull!.length === all.length && (all.length === 0 || inUsual!.length > 0)
        return isTried ? [] : [`${root[1].name}.${argument.name}`]
      }),
    )
    expect(found).toEqual([])
  })

  it('have every wrong literal of every argument and input field in a full sweep, and one of them in every run', () => {
    const all = places(schema)
    const countsOf = (sweep: Sweep) => Map.groupBy(wrongLiteralsAt(all, sweep), ({ name }) => name)
    const [inFull, inUsual] = [countsOf(full), countsOf(usual)]
    const found = all.filter(({ name, type }) => {
      const { length } = wrongLiteralsOf(type)
      return length > 0 && (inFull.get(name)?.length !== length || !inUsual.has(name))
    })
    expect(found.map(({ name }) => name)).toEqual([])
    const tried = new Set(all.map(({ input, name }) => (input === null ? name : `${input}.${name.split('.').at(-1)}`)))
    const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
    const inputFields = types
      .filter(isInputObjectType)
      .flatMap((input) => Object.keys(input.getFields()).map((name) => `${input.name}.${name}`))
    const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    const args = types.filter(isObjectType).flatMap((type) => {
      const isRoot = roots.has(type)
      return Object.values(type.getFields()).flatMap((field) =>
        field.args.map(({ name }) => `${isRoot ? '' : `${type.name}.`}${field.name}.${name}`),
      )
    })
    expect([...inputFields, ...args].filter((name) => !tried.has(name))).toEqual([])
  })

  it('have every column of every filter in every run, and every condition at every list in a full sweep', () => {
    const conditionsOf = (sweep: Sweep) => filteredFields(schema, sweep)
    const triedColumns = new Set(
      conditionsOf(new Sweep(false)).flatMap(({ filter, tried }) =>
        tried.flatMap((one) => Object.keys(one).map((name) => `${filter.name}.${name}`)),
      ),
    )
    const inFull = conditionsOf(full)
    const columns = inFull.flatMap(({ filter }) => columnsOf(filter).map(({ name }) => `${filter.name}.${name}`))
    expect([...new Set(columns)].filter((name) => !triedColumns.has(name))).toEqual([])
    const most = new Map<string, number>()
    for (const { filter, tried } of inFull) most.set(filter.name, Math.max(most.get(filter.name) ?? 0, tried.length))
    expect(
      inFull.filter(({ filter, tried }) => tried.length !== most.get(filter.name)).map(({ field }) => field.name),
    ).toEqual([])
  })
})
