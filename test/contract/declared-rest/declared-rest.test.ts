import 'reflect-metadata'
import { buildSchema, graphql, parse, print, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { buildSubgraph } from '../../../subgraphs/kernel/subgraph/subgraph.ts'
import type { Json } from '../event-file.ts'
import { FixtureResolver, kept, one, operations } from './declared-rest.fixture.ts'
import { operationParts } from './operation-parts.ts'

const { schema, sdl } = await buildSubgraph({ name: 'fixture', resources: [{ resolver: FixtureResolver, operations }] })
const [part] = operationParts([{ schema, operations }], () => false)
const at = (path: string, method: string) => part!.paths[path]![method] as Json
const documents = new Map(part!.documents)

describe('the contract of declared operations', () => {
  it('has a valid stored document that selects the whole answer for each of them', () => {
    const graph = buildSchema(sdl.replace(/extend schema @link\([^)]*\)/, ''), { assumeValidSDL: true })
    expect([...documents.values()].flatMap((text) => validate(graph, parse(text)))).toEqual([])
    expect(print(parse(documents.get('fixtureScoreList')!))).toBe(
      print(
        parse(`query fixtureScoreList($trends: [FixtureTrend!], $page: Int, $limit: Int, $includeTotal: Boolean! = true) {
          result: fixtureScoreList(trends: $trends, page: $page, limit: $limit) {
            data { id score trend reasons }
            page limit total @include(if: $includeTotal) totalPages @include(if: $includeTotal) hasMore nextCursor
          }
        }`),
      ),
    )
    expect(print(parse(documents.get('fixtureHealth')!))).toBe('query fixtureHealth {\n  result: fixtureHealth\n}')
  })

  it('gives a deep input as the body, with the bounds of every level', () => {
    const compute = at('/v1/fixture/compute', 'post')
    expect(compute).toMatchObject({
      operationId: 'fixtureCompute',
      description: 'Scores the entities.',
      security: [{ bearer: [] }],
      'x-api-key-blocked': true,
      'x-api-key-scopes': [],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/FixtureScoreInput' } } },
      },
      responses: {
        200: {
          description: 'The scores, best first.',
          content: {
            'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/FixtureScore' } } },
          },
        },
      },
    })
    // A read repeats itself without a key.
    expect(compute).not.toHaveProperty('parameters')
    expect(part!.schemas['FixtureScoreInput']).toEqual({
      type: 'object',
      description: 'What is scored.',
      additionalProperties: false,
      required: ['entities'],
      properties: {
        entities: {
          type: 'array',
          minItems: 1,
          maxItems: 2,
          items: { $ref: '#/components/schemas/FixtureEntityInput' },
          description: 'The entities. 1 to 2 items.',
        },
        trend: {
          type: ['string', 'null'],
          enum: ['UP', 'DOWN', null],
          description: 'Only this trend; null for all.',
          example: 'UP',
        },
        withReasons: { type: 'boolean', default: false, description: 'Whether reasons are returned. Default: false.' },
      },
    })
    expect(part!.schemas['FixtureTouchInput']).toMatchObject({
      required: ['kind', 'at'],
      properties: {
        kind: { type: 'string', minLength: 1, maxLength: 20, example: 'CALL' },
        weight: { type: ['number', 'null'], minimum: 0, maximum: 1 },
      },
    })
  })

  it('gives the fields of an answer, with their enumerations', () => {
    expect(part!.schemas['FixtureScore']).toEqual({
      type: 'object',
      description: 'A score.',
      required: ['id', 'score', 'trend', 'reasons'],
      properties: {
        id: { type: 'string', format: 'uuid', description: 'Id of the entity.', example: one.id },
        score: { type: 'integer', description: 'The score, 0 to 100.', example: 71 },
        trend: {
          anyOf: [{ $ref: '#/components/schemas/FixtureTrend' }, { type: 'null' }],
          description: 'The trend; null if it is not known.',
          example: 'UP',
        },
        reasons: { type: 'array', items: { type: 'string' }, description: 'Why.', example: ['Three calls.'] },
      },
    })
    expect(part!.schemas['FixtureTrend']).toMatchObject({ type: 'string', enum: ['UP', 'DOWN'] })
  })

  it('gives parameters of the path and the query', () => {
    expect(part!.paths['/v1/fixture/{dealId}/score']).toMatchObject({
      parameters: [{ name: 'dealId', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      get: { 'x-api-key-scopes': ['*'], responses: { 404: { $ref: '../../api.yaml#/components/responses/NotFound' } } },
    })
    expect(at('/v1/fixture', 'get')['parameters']).toEqual([
      {
        name: 'trends',
        in: 'query',
        description: 'Only these trends; null for all. At most 2 items.',
        style: 'form',
        explode: false,
        schema: { type: 'array', maxItems: 2, items: { $ref: '#/components/schemas/FixtureTrend' } },
      },
      { $ref: '../../api.yaml#/components/parameters/page' },
      {
        name: 'limit',
        in: 'query',
        description: 'Scores on a page. 1 to 500. Default: 50.',
        schema: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
      },
      { $ref: '../../api.yaml#/components/parameters/includeTotal' },
      { $ref: '../../api.yaml#/components/parameters/prefer' },
    ])
  })

  it('gives arguments as the body of a change, with its status, headers and roles', () => {
    expect(part!.paths['/v1/fixture/health']).toMatchObject({ get: { security: [], 'x-api-key-scopes': [] } })
    const keep = at('/v1/fixture', 'post')
    expect(keep).toMatchObject({
      'x-required-roles': ['OWNER'],
      parameters: [{ $ref: '../../api.yaml#/components/parameters/idempotencyKey' }],
      responses: { 201: { description: 'The fixture score.' } },
    })
    const { headers } = (keep['responses'] as Record<string, Json>)['201'] as { headers: Json }
    expect(Object.keys(headers)).toEqual(['Location', 'Idempotent-Replayed'])
    expect(part!.schemas['FixtureKeepInput']).toEqual({
      type: 'object',
      description: 'Keeps a score.',
      additionalProperties: false,
      required: ['score'],
      properties: {
        note: {
          type: ['string', 'null'],
          maxLength: 10,
          description: 'Why; null if for no reason. At most 10 characters.',
        },
        score: { type: 'integer', minimum: 0, maximum: 100, description: 'The score. 0 to 100.', example: 5 },
      },
    })
  })
})

describe('the bounds of arguments', () => {
  const refusals = async (source: string) => {
    const { errors = [] } = await graphql({ schema, source })
    return errors.map(({ extensions }) =>
      (extensions['errors'] as { path: string; code: string }[]).map(({ path, code }) => [path, code]),
    )
  }
  const touch = '{ kind: "CALL", at: "2026-11-02T08:15:00Z" }'

  it('are checked in every level of an input, and each wrong value is named', async () => {
    const entity = `{ id: "", touches: [${touch}, { kind: "CALL", at: "2026-11-02T08:15:00Z", weight: 1.5 }] }`
    const unnamed = '{ id: "c", touches: [{ kind: " ", at: "2026-11-02T08:15:00Z" }] }'
    expect(await refusals(`{ fixtureCompute(input: { entities: [${unnamed}] }) { id } }`)).toEqual([
      [['entities.0.touches.0.kind', 'EMPTY']],
    ])
    const crowded = `{ id: "b", touches: [${touch}, ${touch}, ${touch}, ${touch}] }`
    expect(await refusals(`{ fixtureCompute(input: { entities: [${entity}, ${crowded}] }) { id } }`)).toEqual([
      [
        ['entities.0.id', 'EMPTY'],
        ['entities.0.touches.1.weight', 'OUT_OF_RANGE'],
        ['entities.1.touches', 'TOO_MANY'],
      ],
    ])
    expect(await refusals('{ fixtureCompute(input: { entities: [] }) { id } }')).toEqual([[['entities', 'TOO_FEW']]])
    expect(await refusals('{ fixtureScore(dealId: "x") { id } }')).toEqual([[['dealId', 'NOT_AN_ID']]])
    expect(await refusals('{ fixtureScoreList(limit: 501) { limit } }')).toEqual([[['limit', 'OUT_OF_RANGE']]])
  })

  it('are checked before a change is made', async () => {
    expect(await refusals('mutation { fixtureKeep(score: 101, note: "01234567890") { id } }')).toEqual([
      [
        ['note', 'TOO_LONG'],
        ['score', 'OUT_OF_RANGE'],
      ],
    ])
    expect(kept).toEqual([])
    expect(await refusals('mutation { fixtureKeep(score: 100, note: "0123456789") { id } }')).toEqual([])
    expect(kept).toEqual([100])
  })
})
