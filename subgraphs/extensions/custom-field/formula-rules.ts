import { invalid, Refusal } from '../../kernel/errors.ts'
import { formulaCycle } from '../../kernel/formula/cycle.ts'
import { pathsIn } from '../../kernel/formula/paths.ts'
import { cycleProblem, fieldProblems, FormulaError, type FormulaProblem } from '../../kernel/formula/problem.ts'
import { columnsOf } from '../../kernel/record/column.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import type { SerializedRule } from '../../kernel/record/definition.ts'
import { FormulaScope } from '../../kernel/record/formula-columns.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { formulaNodesMax, formulasMax } from './bounds.ts'
import { CustomField } from './custom-field.ts'
import { builtInShapeOf } from './field-entity.ts'
import { definitionOf, type StoredField } from './field-definition.ts'

type Rule = SerializedRule<CustomField>

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

/** What formulas of the record type can read, with these fields. */
export const scopeOf = (entity: string, fields: readonly StoredField[]): FormulaScope =>
  new FormulaScope(builtInShapeOf(entity), fields.filter(({ isActive }) => isActive).map(definitionOf))

/** The paths that the expression names; none if it is no formula. */
function pathsOf(expression: string): ReadonlySet<string> {
  try {
    return pathsIn(expression)
  } catch (error) {
    if (error instanceof FormulaError) return new Set()
    throw error
  }
}

type Named = Pick<FieldOfType, 'name' | 'formulaConfig'>

/** The formulas that name the field. */
export const formulasWith = <F extends Named>(fields: readonly F[], name: string): F[] =>
  fields.filter(({ formulaConfig }) => formulaConfig && pathsOf(formulaConfig.expression).has(customFieldName(name)))

/** A cycle of formulas that the field is part of. */
function cycleOf(entity: string, { name }: Named, fields: readonly Named[]): string[] | null {
  const unique = (path: string): string => `${entity.toLowerCase()}.${path}`
  const graph = new Map(
    fields.flatMap((field) => {
      if (!field.formulaConfig) return []
      return [[unique(customFieldName(field.name)), [...pathsOf(field.formulaConfig.expression)].map(unique)] as const]
    }),
  )
  return formulaCycle(graph, [unique(customFieldName(name))])
}

/** The problem of a formula that is part of a cycle; `fields` are the others of its record type. */
export function cycleProblemOf(entity: string, field: Named, fields: readonly Named[]): FormulaProblem | null {
  const cycle = cycleOf(entity, field, [...fields, field])
  return cycle && cycleProblem(field.formulaConfig!.expression, cycle)
}

const isFormula = ({ fieldType }: Pick<CustomField, 'fieldType'>): boolean => fieldType === 'FORMULA'

/** What formulas depend on. */
const meaningOf = ({ fieldType, formulaConfig, isActive }: CustomField): string =>
  JSON.stringify([fieldType, formulaConfig, isActive])

export const formulasAreFew: Rule = {
  concerns: (_ctx, next, previous) => isFormula(next) && next.deletedAt === null && previous?.deletedAt !== null,
  async enforce(ctx, { id, entity }) {
    const others = (await fieldsOfType(ctx, entity)).filter((field) => field.id !== id && isFormula(field))
    if (others.length < formulasMax) return []
    const message = `A record type has at most ${formulasMax} formulas; delete one first.`
    throw new Refusal('LIMIT_REACHED', message, { limit: formulasMax })
  },
}

/** An inactive formula is checked when it becomes active. */
const ownProblems = ({ name }: CustomField, scope: FormulaScope): readonly FormulaProblem[] =>
  scope.errors().get(customFieldName(name))?.problems ?? []

/** The formula of the field can be evaluated, and so can those that read the field. */
export const formulasAreValid: Rule = {
  concerns: (_ctx, next, previous) =>
    next.deletedAt === null &&
    (previous === null || previous.deletedAt !== null ? isFormula(next) : meaningOf(next) !== meaningOf(previous)),
  async enforce(ctx, next) {
    const { id, entity } = next
    const others = (await fieldsOfType(ctx, entity)).filter((field) => field.id !== id)
    const after = scopeOf(entity, [...others, next])
    if (isFormula(next)) {
      const cycle = cycleProblemOf(entity, next, others)
      const problems = cycle ? [cycle] : ownProblems(next, after)
      if (problems.length > 0) throw invalid(...fieldProblems('formulaConfig.expression', problems))
    }
    const broken = others.filter(({ name }) => after.errors().has(customFieldName(name)))
    if (broken.length > 0) {
      const message = 'Formulas that read the field could not be evaluated with this change; change them first.'
      const usedBy = broken.map((field) => ({ object: 'custom_field', id: field.id, name: field.name }))
      throw new Refusal('HAS_DEPENDENTS', message, { usedBy })
    }
    const nodes = [...after.formulas().values()].reduce((sum, formula) => sum + (formula?.nodes ?? 0), 0)
    if (nodes <= formulaNodesMax) return []
    const message = `The formulas of a record type have at most ${formulaNodesMax} operators, calls, literals and fields together, each with those of the formulas that it reads.`
    throw new Refusal('LIMIT_REACHED', message, { limit: formulaNodesMax })
  },
}
