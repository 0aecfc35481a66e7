/** The kinds of files of a project: the folder below the source folder, the end of the name, and the name of their schema. */
export const fileKinds = [
  { type: 'CUSTOM_OBJECT', folder: 'objects', suffix: '.object.json' },
  { type: 'CUSTOM_FIELD', folder: 'fields', suffix: '.field.json' },
  { type: 'VALIDATION_RULE', folder: 'validation-rules', suffix: '.rule.json' },
  { type: 'WORKFLOW', folder: 'workflows', suffix: '.workflow.json' },
  { type: 'CUSTOM_ACTION', folder: 'actions', suffix: '.action.json' },
  { type: 'BEFORE_SAVE_HOOK', folder: 'hooks', suffix: '.hook.json' },
  { type: 'AFTER_SAVE_TRIGGER', folder: 'after-save', suffix: '.trigger.json' },
  { type: 'NAMED_CREDENTIAL', folder: 'credentials', suffix: '.credential.json' },
  { type: 'CUSTOM_EVENT_TYPE', folder: 'events', suffix: '.event.json' },
  { type: 'FUNCTION', folder: 'functions', suffix: '/function.json' },
  { type: 'FUNCTION_TEST', folder: 'functions/*/tests', suffix: '.json' },
  { type: 'PAGE_LAYOUT', folder: 'layouts', suffix: '.layout.json' },
  { type: 'PAGE', folder: 'pages', suffix: '.page.json' },
] as const

export type ComponentType = (typeof fileKinds)[number]['type']

/** The component type of a file, by its path below the source folder. What lies beside a component is of no type. */
export const typeOfFile = (path: string): ComponentType | null =>
  fileKinds.find(({ folder, suffix }) => path.startsWith(`${folder}/`) && path.endsWith(suffix))?.type ?? null

/** Where a server publishes the schema of a kind of file, for editors. */
export const schemaUrl = (server: string, type: string): string =>
  `${server}/docs/metadata/${type.toLowerCase().replaceAll('_', '-')}.schema.json`
