import { readFileSync } from 'node:fs'
import {
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
  type GraphQLObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'

const { apiSchema } = new LoadedSupergraph(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))

type Figure = GraphQLField<unknown, unknown>

interface Rule {
  readonly name: RegExp
  readonly meaning: string
  readonly holds: (figure: Figure) => boolean
}

const named = ({ type }: Figure): string => getNamedType(type).name
const isList = ({ type }: Figure): boolean => isListType(getNullableType(type))
const isOf =
  (...types: readonly string[]) =>
  (figure: Figure): boolean =>
    !isList(figure) && types.includes(named(figure))
const isNullable = ({ type }: Figure): boolean => !isNonNullType(type)

/** A list whose items have a currency and a count. */
function isByCurrency(figure: Figure): boolean {
  const type = getNamedType(figure.type)
  return isList(figure) && isObjectType(type) && ['currency', 'count'].every((name) => type.getFields()[name])
}

const isCounts = (figure: Figure): boolean =>
  !isList(figure) && (/(?:Counts|CasesBy[A-Z]\w*)$/.test(named(figure)) || named(figure) === 'JSON')

/** How figures are named. The first rule whose pattern a name matches decides of what type it is. */
const rules: readonly Rule[] = [
  { name: /^total$/, meaning: 'the number of records', holds: (one) => isOf('Int')(one) && !isNullable(one) },
  { name: /^(?:by|[a-z]\w*By)Currency$/, meaning: 'figures of each currency', holds: isByCurrency },
  { name: /^total[A-Z]\w*$/, meaning: 'a sum', holds: isOf('Decimal', 'Float') },
  { name: /^by[A-Z]\w*$/, meaning: 'counts by the values of a field', holds: isCounts },
  {
    name: /^average[A-Z]\w*$/,
    meaning: 'an average, null without values',
    holds: (one) => isOf('Float', 'Decimal')(one) && isNullable(one),
  },
  {
    name: /^[a-z]\w*Rate$/,
    meaning: 'a share, null without records',
    holds: (one) => isOf('Float')(one) && isNullable(one),
  },
  { name: /^currency$/, meaning: 'the currency of the sums', holds: isOf('String') },
  { name: /^p\d\d[A-Z]\w*$/, meaning: 'a percentile with its unit, null without values', holds: isOf('Int') },
  {
    name: /^[a-z]+\d+[hd]$/,
    meaning: 'the number of records in a window of time that ends now',
    holds: (one) => isOf('Int')(one) && !isNullable(one),
  },
  {
    name: /^(?!(?:avg|mean|sum|num|number|count|total|average)(?:[A-Z]|$))(?!\w*(?:Count|Counts|Avg|Average|Sum|Number|Total|Percent|Ratio)$)[a-z][A-Za-z]*$/,
    meaning: 'a number of records, named by what distinguishes them',
    holds: isOf('Int'),
  },
]

const stated = 'the specification states this name; the field with the name of the rule is beside it'

/** Figures that follow no rule, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'AccountStats.industries': 'the counts of byIndustry as a list, because texts of organizations are no fields',
  'AssistantStats.errors': 'codes of errors with their numbers, which are texts',
  'AssistantStats.feedback': 'a verdict has several numbers',
  'AssistantStats.modes': 'a mode has several figures',
  'AssistantStats.notUnderstood': 'texts with their numbers',
  'AssistantStats.scope': 'whose calls were counted',
  'CaseStats.avgFirstResponseMinutes': stated,
  'CaseStats.avgResolutionHours': stated,
  'EngagementCacheStats.hits': 'the number may be larger than an Int',
  'EngagementCacheStats.misses': 'the number may be larger than an Int',
  'EngagementRankingStats.k': 'a parameter of the formula that follows from the records',
  'EngagementStats.cache': 'the cache has several figures',
  'EngagementStats.computations': 'the number may be larger than an Int',
  'EngagementStats.entities': 'the number may be larger than an Int',
  'InvoiceCurrencyStats.count': 'the number of records of one currency is `count` in all figures by currency',
  'InvoiceCurrencyStats.dso': 'days sales outstanding, the usual abbreviation, which the specification states',
  'InvoiceStats.countByStatus': stated,
  'InvoiceStats.dso': 'days sales outstanding, the usual abbreviation, which the specification states',
}

const statistics = Object.values(apiSchema.getTypeMap()).filter(
  (type): type is GraphQLObjectType => isObjectType(type) && type.name.endsWith('Stats'),
)
const figures = statistics.flatMap((type) =>
  Object.values(type.getFields()).map((figure) => ({ id: `${type.name}.${figure.name}`, type, figure })),
)
const current = figures.filter(
  ({ figure }) => figure.deprecationReason === undefined || figure.deprecationReason === null,
)

const follows = (figure: Figure): boolean => rules.find(({ name }) => name.test(figure.name))?.holds(figure) ?? false
const meaningOf = (figure: Figure): string =>
  rules.find(({ name }) => name.test(figure.name))?.meaning ?? 'nothing that a rule names'

describe('figures of statistics', () => {
  it('have names that say what they are, or a reason for another name', () => {
    expect(statistics.length).toBeGreaterThan(20)
    const others = current.filter(({ id, figure }) => !follows(figure) && !(id in exceptions))
    expect(others.map(({ id, figure }) => `${id}: ${String(figure.type)} must be ${meaningOf(figure)}`)).toEqual([])
  })

  it('have a reason only where they follow no rule', () => {
    const needed = new Set(current.filter(({ figure }) => !follows(figure)).map(({ id }) => id))
    expect(Object.keys(exceptions).filter((id) => !needed.has(id))).toEqual([])
  })

  it('that another replaces name one of the same type', () => {
    const wrong = figures.filter(({ type, figure: { deprecationReason, type: own } }) => {
      if (!deprecationReason) return false
      const replacement = type.getFields()[/^Use `(\w+)`\.$/.exec(deprecationReason)?.[1] ?? '']
      return String(replacement?.type) !== String(own) || !follows(replacement!)
    })
    expect(wrong.map(({ id }) => id)).toEqual([])
  })
})
