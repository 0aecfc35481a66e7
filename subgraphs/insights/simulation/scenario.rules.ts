import { usersOfOrganization } from '../../identity/public.ts'
import { visibleAccounts, visibleOpportunities } from '../../crm/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { adjustmentOf, adjustmentProblems } from './adjustment.ts'
import { requireReadableFilters } from './model/open-deals.ts'
import { knownStages } from './model/snapshot.ts'
import type { ScenarioAdjustment, ScenarioFilters } from './scenario.structures.ts'

/** What a simulation is asked with. */
export interface Question {
  readonly filters: ScenarioFilters | null
  readonly adjustments: readonly ScenarioAdjustment[]
}

/** What is wrong with the adjustments, whatever exists in the organization. */
export const formProblems = ({ adjustments }: Pick<Question, 'adjustments'>, path = 'adjustments'): FieldProblem[] =>
  adjustments.flatMap((adjustment, index) => adjustmentProblems(adjustment, `${path}.${index}`))

interface Named {
  readonly path: string
  readonly name: string
}

/** Names a part of the question that must exist. */
const listed = (names: readonly string[], path: string): Named[] =>
  names.map((name, index) => ({ path: `${path}.${index}`, name }))

const scopesOf = (
  adjustments: readonly ScenarioAdjustment[],
  name: 'stage' | 'ownerId' | 'opportunityId',
  path: string,
): Named[] =>
  adjustments.flatMap((adjustment, index) => {
    const value = adjustmentOf(adjustment).scope[name]
    return value === undefined ? [] : [{ path: `${path}.${index}.scope.${name}`, name: value }]
  })

const teamsOf = async ({ db, caller }: RequestContext, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await db.query<{ id: string }>(
    'select id from identity.team where organization_id = $1 and id = any($2::uuid[])',
    [caller.organizationId, ids],
  )
  return new Set(rows.map(({ id }) => id))
}

async function unknownIds(
  ctx: RequestContext,
  named: readonly Named[],
  known: (ctx: RequestContext, ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<FieldProblem[]> {
  const ids = [...new Set(named.map(({ name }) => name.toLowerCase()).filter(isId))]
  const found = ids.length > 0 ? await known(ctx, ids) : new Set<string>()
  return named
    .filter(({ name }) => !found.has(name.toLowerCase()))
    .map(({ path }) => ({
      path,
      code: 'UNKNOWN_REFERENCE',
      message: `${path} must be the id of an existing record that you can see.`,
    }))
}

async function unknownStages(ctx: RequestContext, named: readonly Named[]): Promise<FieldProblem[]> {
  if (named.length === 0) return []
  const known = new Set((await knownStages(ctx)).map(({ name }) => name))
  return named
    .filter(({ name }) => !known.has(name))
    .map(({ path }) => ({
      path,
      code: 'UNKNOWN_STAGE',
      message: `${path} must be the API name of a stage of a pipeline.`,
    }))
}

/** Refuses with 403 a question about fields of deals that the caller's profile hides. */
export const requireReadable = (ctx: RequestContext, { filters, adjustments }: Question, path = 'adjustments'): void =>
  requireReadableFilters(
    ctx,
    filters,
    adjustments.map((adjustment) => adjustmentOf(adjustment).scope),
    path,
  )

/** What the question names and the caller does not see, or nobody has. */
export async function referenceProblems(
  ctx: RequestContext,
  question: Question,
  path = 'adjustments',
): Promise<FieldProblem[]> {
  requireReadable(ctx, question, path)
  const { filters, adjustments } = question
  const { ownerIds = [], teamIds = [], stages = [], accountIds = [] } = filters ?? {}
  const newStages = adjustments.flatMap(({ target, value }, index) =>
    target === 'STAGE' ? [{ path: `${path}.${index}.value`, name: value as string }] : [],
  )
  const owners = [...listed(ownerIds, 'filters.ownerIds'), ...scopesOf(adjustments, 'ownerId', path)]
  return [
    ...(await unknownStages(ctx, [
      ...listed(stages, 'filters.stages'),
      ...scopesOf(adjustments, 'stage', path),
      ...newStages,
    ])),
    ...(await unknownIds(ctx, owners, usersOfOrganization)),
    ...(await unknownIds(ctx, listed(teamIds, 'filters.teamIds'), teamsOf)),
    ...(await unknownIds(ctx, listed(accountIds, 'filters.accountIds'), visibleAccounts)),
    ...(await unknownIds(ctx, scopesOf(adjustments, 'opportunityId', path), visibleOpportunities)),
  ]
}
