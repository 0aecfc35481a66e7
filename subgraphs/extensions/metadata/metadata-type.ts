import { enumeration } from '../../kernel/record/column.ts'

export const MetadataType = enumeration('MetadataType', 'A type of components of the metadata format.', {
  CUSTOM_OBJECT: 'A record type of the organization with its fields: `objects/<name>.object.json`.',
  CUSTOM_FIELD: 'A field of a record type of the platform: `fields/<ENTITY>.<name>.field.json`.',
  VALIDATION_RULE: 'A rule that refuses changes: `validation-rules/<ENTITY>.<name>.rule.json`.',
  WORKFLOW: 'A workflow: `workflows/<name>.workflow.json`.',
  CUSTOM_ACTION: 'A custom action: `actions/<apiName>.action.json`.',
  BEFORE_SAVE_HOOK: 'A hook before a save: `hooks/<OBJECT>.<name>.hook.json`.',
  AFTER_SAVE_TRIGGER: 'A trigger after a save: `after-save/<OBJECT>.<name>.trigger.json`.',
  NAMED_CREDENTIAL: 'A named credential without its secret: `credentials/<apiName>.credential.json`.',
  CUSTOM_EVENT_TYPE: 'A custom event type: `events/<apiName>.event.json`.',
  FUNCTION:
    'A serverless function: `functions/<apiName>/function.json`, with its source in index.ts or index.js, and its tests.',
  PAGE_LAYOUT: 'A page layout: `layouts/<OBJECT>.<profile|default>.layout.json`.',
  PAGE: 'A page: `pages/<apiName>.page.json`.',
})
export type MetadataType = keyof typeof MetadataType

/** The kinds of files of the format: those of components, tests of functions, and those of a project and an app. */
export const MetadataSchemaType = {
  ...MetadataType,
  FUNCTION_TEST: 'FUNCTION_TEST',
  PROJECT: 'PROJECT',
  APP: 'APP',
  DESTRUCTIVE_CHANGES: 'DESTRUCTIVE_CHANGES',
} as const
export type MetadataSchemaType = keyof typeof MetadataSchemaType
