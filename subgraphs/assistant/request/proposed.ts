import type { Calendar } from '../question/periods.ts'
import type { FoundName } from '../question/find-names.ts'
import { fieldWords } from '../question/label.ts'
import { plain } from '../question/words.ts'
import { propose, type Change } from '../proposal/propose.ts'
import type { ToolCalling } from '../tool/tool.ts'
import type { NamedRecords } from './named-records.ts'
import type { RequestAnswer } from './said.ts'

/** A request with what is needed to read it. */
export interface Request {
  readonly calling: ToolCalling
  readonly message: string
  readonly calendar: Calendar
  readonly names: NamedRecords
}

/** A part of a change in words. */
export type Line = readonly [name: string, value: string]

/** Stores the change as a proposal, and says what it is. */
export async function proposed(
  { calling }: Request,
  change: Change,
  {
    summary,
    lines,
    about,
  }: { readonly summary: string; readonly lines: readonly Line[]; readonly about: readonly FoundName[] },
): Promise<RequestAnswer> {
  const { id, summary: stored } = await propose(calling, change, summary)
  const { object, action, input } = change
  const told = lines.map(([name, value]) => `- ${fieldWords(name)}: ${plain(value)}`)
  return {
    content: [
      `I propose: ${plain(stored)}`,
      ...told,
      'Nothing is changed until you confirm the proposal, within an hour.',
    ].join('\n'),
    citations: about.map((one) => ({
      entityType: one.object.toUpperCase(),
      entityId: one.id,
      field: null,
      label: one.label,
    })),
    toolCalls: [
      {
        name: 'propose_change',
        input: { action, object, ...(change.id && { id: change.id }), input },
        output: { rows: 0, proposalId: id, summary: stored },
        status: 'OK',
      },
    ],
    notUnderstood: [],
  }
}
