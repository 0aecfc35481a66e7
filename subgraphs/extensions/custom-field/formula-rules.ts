import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { formulaCycle } from '../../kernel/formula/cycle.ts'
import { pathsIn } from '../../kernel/formula/paths.ts'
import { cycleProblem, fieldProblems, FormulaError, type FormulaProblem } from '../../kernel/formula/problem.ts'
import { columnsOf } from '../../kernel/record/column.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import { relatedShape } from '../../kernel/record/formula-relations.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import { FormulaScopes } from '../../kernel/record/formula-columns.ts'
import { fieldsRead } from '../../kernel/record/rollup/rollup.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { formulaNodesMax, lookUpsMax } from './bounds.ts'
import { CustomField } from './custom-field.ts'
import { builtInShapeOf } from './field-entity.ts'
import type { RollupConfig } from './custom-field.parts.ts'
import { definitionOf, formulaOf, rollupOf, type StoredField } from './field-definition.ts'

type Rule = SerializedRule<CustomField>

const shownMax = 20

/** A live field of a record type. */
export type FieldOfType = StoredField

const columns = columnsOf(CustomField).map((column) => `${column.sql('f')} as "${column.name}"`)

/** The live fields of a record type, in the order of their creation. */
export function fieldsOfType({ db, caller }: RequestContext, entity: string): Promise<FieldOfType[]> {
  return db.query<FieldOfType & Record<string, unknown>>(
    `select ${columns.join(', ')} from extensions.field_definition f
     where f.organization_id = $1 and f.entity = $2 and f.deleted_at is null order by f.created_at, f.id`,
    [caller.organizationId, entity],
  )
}

/** The live fields of the organization, in the order of their creation. */
export function fieldsOfOrganization({ db, caller }: RequestContext): Promise<FieldOfType[]> {
  return db.query<FieldOfType & Record<string, unknown>>(
    `select ${columns.join(', ')} from extensions.field_definition f
     where f.organization_id = $1 and f.deleted_at is null order by f.created_at, f.id`,
    [caller.organizationId],
  )
}

const objectOf = ({ entity }: Pick<StoredField, 'entity'>): string => entity.toLowerCase()

type Named = Pick<StoredField, 'entity' | 'name'>

/** A field with its formula, which need not be stored yet. */
export type Formulated = Named & Pick<StoredField, 'formulaConfig'>

/** What formulas of all record types can read, with these fields, and with one of which the formula only matters. */
export function scopesOf(fields: readonly StoredField[], formulated: Formulated | null = null): FormulaScopes {
  const active = Map.groupBy(
    fields.filter(({ isActive }) => isActive),
    objectOf,
  )
  return new FormulaScopes(
    (object) => [
      ...(active.get(object) ?? []).map(definitionOf),
      ...(formulated && objectOf(formulated) === object
        ? [{ name: formulated.name, kind: 'text' as const, formula: formulaOf(formulated.formulaConfig!) }]
        : []),
    ],
    (object) => (customObjectName(object) === null ? relatedShape(object) : builtInShapeOf(object)),
  )
}

/** The paths that the expression names; none if it is no formula. */
function pathsOf(expression: string): ReadonlySet<string> {
  try {
    return pathsIn(expression)
  } catch (error) {
    if (error instanceof FormulaError) return new Set()
    throw error
  }
}

/** The unique names of what a formula names. */
const namesIn = (scopes: FormulaScopes, field: Formulated): string[] =>
  [...pathsOf(field.formulaConfig!.expression)].flatMap((path) => scopes.of(objectOf(field))?.namesIn(path) ?? [])

/** The unique names of what a rollup names of the records that it aggregates. */
function namesInRollup(scopes: FormulaScopes, field: StoredField & { readonly rollupConfig: RollupConfig }): string[] {
  const rollup = rollupOf(field)
  const child = scopes.of(rollup.child)
  return child ? [...fieldsRead(rollup)].flatMap((path) => child.namesIn(path)) : []
}

const uniqueName = (field: Named): string => `${objectOf(field)}.${customFieldName(field.name)}`

/** The formulas that name the field, also those of other record types. */
export function formulasWith<F extends StoredField>(fields: readonly F[], field: Named): F[] {
  const scopes = scopesOf(fields)
  const name = uniqueName(field)
  return fields.filter((each) => each.formulaConfig && namesIn(scopes, each).includes(name))
}

/** The cycle of which a field is a part, over the formulas and rollups of all record types; null if there is none. */
function cycleOf(field: Named, all: readonly (Formulated | StoredField)[], scopes: FormulaScopes): string[] | null {
  const graph = new Map<string, string[]>()
  for (const each of all) {
    if (each.formulaConfig) graph.set(uniqueName(each), namesIn(scopes, each))
    else if ('rollupConfig' in each && each.rollupConfig)
      graph.set(uniqueName(each), namesInRollup(scopes, { ...each, rollupConfig: each.rollupConfig }))
  }
  return formulaCycle(graph, [uniqueName(field)])
}

/** The problem of a formula that is part of a cycle; `fields` are the others of the organization. */
export function cycleProblemOf(field: Formulated, fields: readonly StoredField[]): FormulaProblem | null {
  const { entity, name, formulaConfig } = field
  const cycle = cycleOf(field, [...fields, { entity, name, formulaConfig }], scopesOf(fields, field))
  return cycle && cycleProblem(formulaConfig!.expression, cycle)
}

/** The problem of a rollup that is part of a cycle. A rollup that is not in use is read by nothing. */
function rollupCycleProblems(
  field: StoredField,
  fields: readonly StoredField[],
  scopes: FormulaScopes,
): FieldProblem[] {
  const cycle = cycleOf(field, [...fields, field], scopes)
  if (!cycle) return []
  const message = `The rollup reads itself: ${cycle.join(', ')}.`
  return [{ path: 'rollupConfig', code: 'FORMULA_CYCLE', message, cycle }]
}

const isFormula = ({ fieldType }: Pick<CustomField, 'fieldType'>): boolean => fieldType === 'FORMULA'

const isComputed = (field: CustomField): boolean => isFormula(field) || field.rollupConfig !== null

/** What formulas depend on, and whether they are part of a cycle. */
const meaningOf = ({ fieldType, formulaConfig, rollupConfig, isActive }: CustomField): string =>
  JSON.stringify([fieldType, formulaConfig, rollupConfig, isActive])

/** The active formulas that read other records, rollups or the time, with these fields. */
export function liveFormulas(fields: readonly StoredField[]): StoredField[] {
  const scopes = scopesOf(fields)
  return fields.filter((field) => {
    if (!field.isActive || !field.formulaConfig) return false
    const formula = scopes.of(objectOf(field))?.formulas().get(customFieldName(field.name))
    return formula?.isLocal === false
  })
}

const problemsIn = (scopes: FormulaScopes, field: StoredField): readonly FormulaProblem[] =>
  scopes.of(objectOf(field))?.errors().get(customFieldName(field.name))?.problems ?? []

const lookUpsOf = (scopes: FormulaScopes, object: string): number =>
  [...(scopes.of(object)?.formulas().values() ?? [])].reduce((sum, formula) => sum + (formula?.lookUps ?? 0), 0)

/** A formula that is read by those of other record types adds to what these look up, too. `stored` are the fields without the change. */
function lookUpProblems(scopes: FormulaScopes, next: StoredField, stored: readonly StoredField[]): FieldProblem[] {
  for (const object of new Set([next, ...stored].filter(({ formulaConfig }) => formulaConfig).map(objectOf))) {
    const lookUps = lookUpsOf(scopes, object)
    // A change that adds nothing is not refused for what was there before it.
    if (lookUps <= lookUpsMax || lookUps <= lookUpsOf(scopesOf(stored), object)) continue
    const message = `The formulas of ${object} read other records or rollups in ${lookUps} places, with those of the formulas that they read; there are at most ${lookUpsMax}.`
    return [{ path: 'formulaConfig.expression', code: 'FORMULA_TOO_COMPLEX', message }]
  }
  return []
}

const tooMany = (what: string, limit: number): Refusal =>
  new Refusal('LIMIT_REACHED', `The formulas of a record type have at most ${limit} ${what}.`, { limit })

/** The formula of the field can be evaluated, and so can those that read the field, of whatever record type; no formula or rollup is part of a cycle. An inactive formula is checked when it becomes active. */
export const formulasAreValid: Rule = {
  concerns: (_ctx, next, previous) =>
    next.deletedAt === null &&
    (previous === null || previous.deletedAt !== null ? isComputed(next) : meaningOf(next) !== meaningOf(previous)),
  async enforce(ctx, next) {
    const stored = await fieldsOfOrganization(ctx)
    const others = stored.filter((field) => field.id !== next.id)
    const after = scopesOf([...others, next])
    if (isFormula(next)) {
      const cycle = cycleProblemOf(next, others)
      const problems = cycle ? [cycle] : problemsIn(after, next)
      if (problems.length > 0) throw invalid(...fieldProblems('formulaConfig.expression', problems))
    }
    const ofRollup = next.rollupConfig ? rollupCycleProblems(next, others, after) : []
    if (ofRollup.length > 0) throw invalid(...ofRollup)
    const broken = others.filter((field) => field.formulaConfig && problemsIn(after, field).length > 0)
    if (broken.length > 0) {
      const message = 'Formulas that read the field could not be evaluated with this change; change them first.'
      const usedBy = broken
        .slice(0, shownMax)
        .map((field) => ({ object: 'custom_field', id: field.id, name: field.name }))
      throw new Refusal('HAS_DEPENDENTS', message, { usedBy })
    }
    const formulas = [...after.of(objectOf(next))!.formulas().values()].filter((formula) => formula !== null)
    if (formulas.reduce((sum, { nodes }) => sum + nodes, 0) > formulaNodesMax)
      throw tooMany(
        'operators, calls, literals and fields together, each with those of the formulas that it reads',
        formulaNodesMax,
      )
    return isFormula(next) ? lookUpProblems(after, next, stored) : []
  },
}

const needStoredValues = ['isSearchable', 'isIndexed', 'isUnique', 'trackHistory'] as const

/** What is set of a formula that needs its values in the records. */
export const storedUsesOf = (field: Pick<CustomField, (typeof needStoredValues)[number]>): readonly string[] =>
  needStoredValues.filter((name) => field[name])

/** Search, indexes and the history have what is stored with a record only. */
export const storedIsLocal: Rule = {
  concerns: (_ctx, next, previous) =>
    isFormula(next) &&
    storedUsesOf(next).length > 0 &&
    next.isActive &&
    next.deletedAt === null &&
    (previous === null ||
      previous.deletedAt !== null ||
      storedUsesOf(next).some((name) => !storedUsesOf(previous).includes(name)) ||
      meaningOf(next) !== meaningOf(previous)),
  async enforce(ctx, next) {
    const others = (await fieldsOfOrganization(ctx)).filter((field) => field.id !== next.id)
    if (!liveFormulas([...others, next]).some(({ id }) => id === next.id)) return []
    return storedUsesOf(next).map((path) => {
      const message = `${path} is not for a formula that reads other records, rollups or the time.`
      return { path, code: 'NOT_ALLOWED', message }
    })
  },
}
