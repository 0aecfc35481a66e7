import { Json } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { FlowDataType, FlowElementType } from './flow.enumerations.ts'

@Structure('FlowVariable', 'A variable of a flow. Elements name its value as `{{<name>}}`.')
export class FlowVariable {
  @Part(() => String, {
    max: 48,
    filled: true,
    description: 'Its name, unique among the variables and elements: a letter, then letters, digits and underscores.',
    example: 'company',
  })
  name!: string

  @Part(() => FlowDataType, { description: 'What its value can be.', example: 'TEXT' })
  dataType!: FlowDataType

  @Part(() => Boolean, {
    default: false,
    description: 'True if `inputs` of a start, or of an element SUBFLOW, may set it.',
    example: true,
  })
  isInput!: boolean

  @Part(() => Boolean, {
    default: false,
    description: 'True if its value is one of the `outputs` of an interview that has ended.',
    example: false,
  })
  isOutput!: boolean

  @Part(() => Boolean, { default: false, description: 'True if its value is a list.', example: false })
  isCollection!: boolean

  @Part(() => Json, {
    nullable: true,
    description: 'Its value at the start; null: no value, or an empty list.',
    example: null,
  })
  defaultValue!: unknown
}

@Structure(
  'FlowElement',
  'An element of a flow. Texts of `config` may contain outputs: `{{<variable>}}`, `{{<element>.<name>}}` of what an element has returned, `{{interview.id}}` and `{{interview.startedById}}`; with filters such as `{{company | upcase}}`. A text that is one output keeps the type of its value.',
)
export class FlowElement {
  @Part(() => String, {
    max: 48,
    filled: true,
    description: 'Its name, unique among the variables and elements: a letter, then letters, digits and underscores.',
    example: 'ask',
  })
  name!: string

  @Part(() => FlowElementType, { description: 'What it does.', example: 'SCREEN' })
  type!: FlowElementType

  @Part(() => Json, {
    description: 'Its settings, by its type.',
    example: {
      title: 'New account',
      fields: [{ name: 'company', label: 'Company', type: 'TEXT', required: true }],
    },
  })
  config!: unknown

  @Part(() => Json, {
    nullable: true,
    description:
      'Which element follows, by connector: `next`; `fault` after a failure of an element that reads, writes or calls; `body` of a LOOP; of a DECISION the names of its outcomes and `default`. Without `next` the flow ends; without `fault` a failure ends the interview as FAILED.',
    example: { next: 'create' },
  })
  connectors!: Readonly<Record<string, string | null>> | null
}
