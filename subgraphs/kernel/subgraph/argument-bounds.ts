import {
  getNamedType,
  isInputObjectType,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
} from 'graphql'
import { invalid, type FieldProblem } from '../errors.ts'
import { checkColumn } from '../record/check-values.ts'
import { declaredValue, type DeclaredValue } from '../record/declared-value.ts'

/** A field or an argument with bounds, or with a type that has fields with bounds. */
interface Place {
  readonly name: string
  readonly value: DeclaredValue | undefined
  readonly fields: readonly Place[]
}

/** One refusal names at most so many wrong inputs. */
const problemsMax = 100

const placesByType = new WeakMap<GraphQLInputObjectType, Place[]>()

/** The places of an input type. Types refer to each other in circles, so the list is known before it is complete. */
function placesOf(type: GraphQLInputObjectType): Place[] {
  const known = placesByType.get(type)
  if (known) return known
  const places: Place[] = []
  placesByType.set(type, places)
  places.push(...Object.values(type.getFields()).flatMap((field) => placeOf(field) ?? []))
  return places
}

function placeOf(element: GraphQLInputField | GraphQLArgument): Place | null {
  const named = getNamedType(element.type)
  const value = declaredValue(element)
  const fields = isInputObjectType(named) ? placesOf(named) : []
  return value || fields.length > 0 ? { name: element.name, value, fields } : null
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

function collect(place: Place, value: unknown, path: string, problems: FieldProblem[]): void {
  if (value === null || value === undefined || problems.length >= problemsMax) return
  const { list, minItems = 0, maxItems = Infinity } = place.value ?? {}
  if (Array.isArray(value)) {
    const problem = list && countProblem(path, value.length, minItems, maxItems)
    if (problem) problems.push(problem)
    else for (const [index, item] of value.entries()) collect(place, item, `${path}.${index}`, problems)
    return
  }
  const column = place.value?.column
  // The name is needed only where something is wrong.
  if (column && checkColumn(column, value)) problems.push(checkColumn({ ...column, name: path }, value)!)
  for (const field of place.fields)
    collect(field, (value as Readonly<Record<string, unknown>>)[field.name], below(path, field.name), problems)
}

function countProblem(path: string, count: number, least: number, most: number): FieldProblem | null {
  if (count > most) return { path, code: 'TOO_MANY', message: `${path} must have at most ${most} items.` }
  if (count < least) return { path, code: 'TOO_FEW', message: `${path} must have at least ${least} items.` }
  return null
}

/** Refuses arguments outside of the bounds that they are declared with; null if none has bounds. */
export function boundsCheck(
  args: readonly GraphQLArgument[],
): ((given: Readonly<Record<string, unknown>>) => void) | null {
  const places = args.flatMap((argument) => placeOf(argument) ?? [])
  if (places.length === 0) return null
  return (given) => {
    const problems: FieldProblem[] = []
    // Wrong inputs of a record, and of a body of REST, are named by their paths in `input`.
    for (const place of places) collect(place, given[place.name], place.name === 'input' ? '' : place.name, problems)
    if (problems.length > 0) throw invalid(...problems)
  }
}
