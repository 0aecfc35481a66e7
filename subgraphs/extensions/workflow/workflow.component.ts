import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { phases, type Content } from '../../kernel/metadata/component.ts'
import { recordComponent } from '../../kernel/metadata/record-component.ts'
import { createWorkflow, deleteWorkflow, updateWorkflow } from './workflow.actions.ts'
import { workflow } from './workflow.record.ts'

/** The format has no place for how conditions are combined, unless by AND: they are an object then. */
const write = ({ logic, ...content }: Content): Content =>
  logic === 'OR' ? { ...content, conditions: { logic, conditions: content['conditions'] } } : content

function read(content: Content): Content {
  const { conditions: given } = content
  if (!isJsonObject(given)) return content
  const { logic, conditions, ...others } = given
  const isGroup = (logic === 'AND' || logic === 'OR') && Object.keys(others).length === 0
  return isGroup ? { ...content, logic, conditions } : content
}

export const workflowComponent = recordComponent({
  type: 'WORKFLOW',
  noun: 'workflow',
  description:
    'A trigger, conditions and steps: workflows/<name>.workflow.json. A new one arrives paused; it acts as the user who deploys it.',
  folder: 'workflows',
  suffix: '.workflow.json',
  phase: phases.workflows,
  definition: workflow,
  properties: {
    name: {},
    description: {},
    triggerType: {},
    triggerEntity: {
      rules: { type: 'string' },
      description: 'Type of the record of a run; empty if runs have no record.',
      toFile: (value) => value ?? '',
      toColumn: (value) => (value === '' ? null : value),
    },
    triggerConfig: { rules: { type: 'object' } },
    conditions: {
      isOpen: true,
      description:
        'Conditions on the record: a list, all of which must be met, or `{"logic": "OR", "conditions": [...]}`. Only what meets them starts a run.',
    },
    logic: { isHidden: true },
    actions: {
      column: 'steps',
      isOpen: true,
      description: 'The steps; the first one begins. A step names a function or an action by its apiName.',
    },
    runOnce: {},
    delayMinutes: {},
  },
  required: ['name', 'triggerType', 'triggerEntity'],
  nameOf: ({ name }) => String(name),
  write,
  read,
  create: createWorkflow,
  update: updateWorkflow,
  remove: deleteWorkflow,
  warnings: ({ triggerType }, isNew) =>
    isNew
      ? [
          'It is paused; activate it.',
          ...(triggerType === 'WEBHOOK'
            ? ['It has a new hookUrl and a new secret; regenerate the secret to learn one.']
            : []),
        ]
      : [],
})
