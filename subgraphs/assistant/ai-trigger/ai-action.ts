import { Json } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { AiActionType } from './ai-trigger.enumerations.ts'

@Structure(
  'AiAction',
  'What a trigger does with the answer of the model. Texts of `config` may contain `{{record.<field>}}`, a field of the record of the event, and `{{output.<property>}}`, a property of the answer. Whom or what an action concerns (`recordId`, `assignedToId`, `recipients`, `contactId`, `apiName`, and every field with an id) is an id or `{{record.<field>}}`; the answer of the model cannot decide it.',
)
export class AiAction {
  @Part(() => AiActionType, { description: 'What it does.', example: 'CREATE_TASK' })
  type!: AiActionType

  @Part(() => Json, {
    description: 'The settings of the action, by its type.',
    example: { subject: 'Call {{record.lastName}}', description: '{{output.summary}}', priority: 'HIGH' },
  })
  config!: unknown
}
