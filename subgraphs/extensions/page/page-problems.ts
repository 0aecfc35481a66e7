import { fieldsOfShape } from '../../kernel/condition/condition-fields.ts'
import { ConditionParser, type ParsedCondition, type ParsedGroup } from '../../kernel/condition/parse-conditions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import type { Column } from '../../kernel/record/column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { namingFieldsOf } from '../../kernel/record/merge/naming.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { unknownObject } from '../extended-type.ts'
import { hasField } from '../layout/layout-config.ts'
import { objectNamed, objectRule, shapeIn } from '../workflow/objects.ts'
import { problemAt } from '../workflow/steps/step-type.ts'
import {
  componentsOf,
  readDefinition,
  type FieldsComponent,
  type PageComponent,
  type PageDefinition,
  type RelatedListComponent,
} from './page-definition.ts'

export const problemsMax = 20

const shapeNamed = ({ shapes }: Pick<RequestContext, 'shapes'>, type: string): RecordShape | null => {
  const object = objectNamed(type)
  return object && shapeIn(shapes, object)
}

/** The field of a related record that names records of the type, with what says of which type the id is. */
export function relationOf(related: RecordShape, field: string, shape: RecordShape) {
  const found = namingFieldsOf(related, shape.object).find(({ column, part }) => !part && column.name === field)
  return found && !found.column.internal ? { kind: found.kind } : null
}

/** The shape of the records of a list; null if the organization does not have them. */
export const listedShape = (ctx: Pick<RequestContext, 'shapes'>, { objectType }: RelatedListComponent) =>
  shapeNamed(ctx, objectType)

function fieldsProblems({ items }: FieldsComponent, path: string, shape: RecordShape): FieldProblem[] {
  const known = new Set<string>()
  return items.flatMap(({ field }, index) => {
    const at = `${path}.items.${index}.field`
    if (known.has(field)) return [problemAt(at, 'NOT_UNIQUE', `names ${field}, which is there already`)]
    known.add(field)
    return hasField(shape, field) ? [] : [problemAt(at, 'UNKNOWN_FIELD', `must be a field of the ${shape.object}`)]
  })
}

function listProblems(
  ctx: RequestContext,
  component: RelatedListComponent,
  path: string,
  shape: RecordShape,
): FieldProblem[] {
  const at = `${path}.objectType`
  if (!objectNamed(component.objectType)) return [problemAt(at, 'NOT_ALLOWED', objectRule)]
  const related = listedShape(ctx, component)
  if (!related) return [unknownObject(at)]
  const relation = relationOf(related, component.field, shape)
    ? []
    : [
        problemAt(
          `${path}.field`,
          'UNKNOWN_FIELD',
          `must be a field of the ${related.object} that names the ${shape.object}`,
        ),
      ]
  const columns = component.columns.flatMap((name, index) => {
    const place = `${path}.columns.${index}`
    if (component.columns.indexOf(name) < index)
      return [problemAt(place, 'NOT_UNIQUE', `names ${name}, which is there already`)]
    return hasField(related, name)
      ? []
      : [problemAt(place, 'UNKNOWN_FIELD', `must be a field of the ${related.object}`)]
  })
  return [...relation, ...columns]
}

/** Operators that compare with the previous version of a record. A page shows one version. */
const ofChanges: ReadonlySet<string> = new Set(['CHANGED', 'CHANGED_FROM', 'CHANGED_TO', 'INCREASED', 'DECREASED'])

const isGroup = (one: ParsedCondition | ParsedGroup): one is ParsedGroup => 'conditions' in one

const conditionsIn = ({ conditions }: ParsedGroup): ParsedCondition[] =>
  conditions.flatMap((one) => (isGroup(one) ? conditionsIn(one) : [one]))

function conditionProblems({ visibleWhen }: PageComponent, path: string, shape: RecordShape): FieldProblem[] {
  if (!visibleWhen) return []
  const at = `${path}.visibleWhen.conditions`
  const parser = new ConditionParser(fieldsOfShape(shape, null, true))
  const group = parser.parse(visibleWhen, at)
  if (parser.problems.length > 0 || !group) return parser.problems
  const all = conditionsIn(group)
  const unknown = all
    .flatMap(({ field, comparand }) => [field, ...(comparand.from === 'FIELD' ? [comparand.other] : [])])
    .find(({ name }) => !hasField(shape, name))
  if (unknown) return [problemAt(at, 'UNKNOWN_FIELD', `must name fields of the ${shape.object}, not ${unknown.name}`)]
  const change = all.find(({ operator }) => ofChanges.has(operator))
  return change ? [problemAt(at, 'NOT_ALLOWED', `must not have the operator ${change.operator}`)] : []
}

function componentProblems(
  ctx: RequestContext,
  component: PageComponent,
  path: string,
  shape: RecordShape,
): FieldProblem[] {
  const conditions = conditionProblems(component, path, shape)
  switch (component.type) {
    case 'FIELDS':
      return [...fieldsProblems(component, path, shape), ...conditions]
    case 'RELATED_LIST':
      return [...listProblems(ctx, component, path, shape), ...conditions]
    case 'TEXT':
      return /<[a-z!/?]/i.test(component.text)
        ? [problemAt(`${path}.text`, 'WRONG_FORMAT', 'must be Markdown without HTML'), ...conditions]
        : conditions
    default:
      return conditions
  }
}

function repeatedNames(definition: PageDefinition): FieldProblem[] {
  const { regions } = definition
  const names = regions.map(({ name }) => name)
  const repeated = regions.flatMap(({ name }, index) =>
    names.indexOf(name) < index
      ? [problemAt(`definition.regions.${index}.name`, 'NOT_UNIQUE', `names ${name}, which is there already`)]
      : [],
  )
  const slots = new Set<string>()
  for (const { path, component } of componentsOf(definition)) {
    if (component.type !== 'APP_SLOT') continue
    if (slots.has(component.slot))
      repeated.push(problemAt(`${path}.slot`, 'NOT_UNIQUE', `names ${component.slot}, which is there already`))
    slots.add(component.slot)
  }
  return repeated
}

/** What is wrong with the definition of a page of this record type, of which at most 20 problems are told. The context has the latest custom objects and fields. */
export function definitionProblems(ctx: RequestContext, given: unknown, shape: RecordShape): FieldProblem[] {
  const { definition, problems } = readDefinition(given)
  const found = definition
    ? [
        ...repeatedNames(definition),
        ...componentsOf(definition).flatMap(({ path, component }) => componentProblems(ctx, component, path, shape)),
      ]
    : problems
  return found.slice(0, problemsMax)
}

/** The custom objects of the lists of a definition, by the paths at which it names them. */
export function listedTypes(given: unknown): (readonly [path: string, type: string])[] {
  const { definition } = readDefinition(given)
  return (definition ? componentsOf(definition) : []).flatMap(({ path, component }) =>
    component.type === 'RELATED_LIST' ? [[`${path}.objectType`, component.objectType] as const] : [],
  )
}

/** The values of a field that can act as record type; null if it cannot. */
export function recordTypesOf(shape: RecordShape, field: string): ReadonlySet<string> | null {
  const column: Column | undefined = shape.columns.byName.get(field)
  return column?.kind === 'enum' && !column.internal ? new Set(Object.keys(column.type)) : null
}
