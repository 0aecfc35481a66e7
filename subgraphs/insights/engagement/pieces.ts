import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { openAmountOf } from './check-input.ts'
import type { EngagementEntityInput } from './engagement.inputs.ts'

/** So many entities, or results, are one piece of work between two turns of the event loop. */
const activitiesOfPiece = 500

/**
 * The entities as JSON, in pieces, so that writing them blocks the event loop no longer than a turn. A worker thread reads them: to copy the
 * objects themselves to it would take one long turn.
 */
export async function entityPieces(
  entities: readonly EngagementEntityInput[],
  organizationId: string,
): Promise<string[]> {
  const pieces: string[] = []
  let piece: object[] = []
  let weight = 0
  const end = async (): Promise<void> => {
    pieces.push(JSON.stringify(piece))
    piece = []
    weight = 0
    if (isTurnOver()) await nextTurn(organizationId)
  }
  for (const entity of entities) {
    const { id, type, name, properties, relationships, activities } = entity
    piece.push({ id, type, name, relationships, activities, properties: { openAmount: openAmountOf(properties) } })
    weight += 1 + (relationships?.length ?? 0) + (activities?.length ?? 0)
    if (weight >= activitiesOfPiece) await end()
  }
  if (piece.length > 0) await end()
  return pieces
}

/** The items of pieces of JSON, parsed in turns. */
export async function itemsOf<T>(pieces: readonly string[], organizationId: string): Promise<T[]> {
  const items: T[] = []
  for (const piece of pieces) {
    if (isTurnOver()) await nextTurn(organizationId)
    for (const item of JSON.parse(piece) as T[]) items.push(item)
  }
  return items
}
