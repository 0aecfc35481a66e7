import type { Answer } from '../rest-client.ts'

export interface Kind {
  readonly value: unknown
  readonly other: unknown
  /** The value as GraphQL literal. */
  readonly literal: string
  readonly operator: string
  readonly empty?: unknown
  readonly isSorted?: boolean
}

export const text = (value: string): Kind => ({
  value,
  other: 'another',
  literal: `"${value}"`,
  operator: 'startsWith',
})
const list = (value: string): Kind => ({
  value: [value],
  other: ['another'],
  literal: `"${value}"`,
  operator: 'has',
  empty: [],
  isSorted: false,
})

/** One field of each kind that can be hidden. */
export const kinds: Readonly<Record<string, Kind>> = {
  phone: { ...text('+47 22 11'), isSorted: false },
  rating: { value: 'HOT', other: 'COLD', literal: 'HOT', operator: 'eq' },
  numberOfEmployees: { value: 12, other: 13, literal: '12', operator: 'gte' },
  annualRevenue: { value: 5000, other: 5001, literal: '5000', operator: 'lt' },
  healthScore: { value: 50, other: 51, literal: '50', operator: 'ne' },
  lastActivityDate: {
    value: '2027-01-05T00:00:00.000Z',
    other: '2027-01-06T00:00:00.000Z',
    literal: '"2027-01-05T00:00:00.000Z"',
    operator: 'gt',
  },
  website: { ...text('https://paper.example'), isSorted: false },
  parentAccountId: { value: null, other: null, literal: 'true', operator: 'isNull' },
  painPoints: list('paper'),
  tags: list('vip'),
}
export const named = Object.entries(kinds)
// Relations depend on the parent column and have separate tests.
export const unrelated = named.filter(([name]) => name !== 'parentAccountId')

export const codesOf = ({ body }: Answer): string[] =>
  (body.errors as { extensions: { code: string; errors?: { path: string }[] } }[] | undefined)?.flatMap(
    ({ extensions: { code, errors = [] } }) => [code, ...errors.map(({ path }) => path)],
  ) ?? []

export const one = (name: string) => `query($id: ID!) { account(id: $id) { id ${name} } }`
export const filtered = (filter: string) => `{ accountList(filter: ${filter}) { data { id } } }`
export const sorted = (name: string) => `{ accountList(orderBy: [{ field: ${name} }]) { data { id } } }`

/** Filters with a condition on a field, each with the path that the refusal names. */
export const places = (name: string, condition: string): [filter: string, path: string][] => [
  [condition, `filter.${name}`],
  [`{ and: [{ name: { eq: "x" } }, ${condition}] }`, `filter.and.1.${name}`],
  [`{ or: [${condition}] }`, `filter.or.0.${name}`],
  [`{ not: ${condition} }`, `filter.not.${name}`],
  [`{ parent: ${condition} }`, `filter.parent.${name}`],
  [`{ children: { none: ${condition} } }`, `filter.children.none.${name}`],
]
