import { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { appScopes } from '../../kernel/scope-areas.ts'
import { layoutTypePattern } from '../layout/layout-types.ts'
import {
  descriptionMax,
  nameMax,
  numberPattern,
  releaseNotesMax,
  slotHeight,
  slotKeyPattern,
  slotLabelMax,
  slotsMax,
  slotTypesMax,
  slugPattern,
  urlMax,
} from './bounds.ts'

/** An address of the web, without a user name. */
const url = {
  type: 'string',
  format: 'uri',
  pattern: '^https://[^/?#@\\s]+(?:[/?#]\\S*)?$',
  maxLength: urlMax,
} as const

const slotSchema = {
  type: 'object',
  properties: {
    key: {
      type: 'string',
      pattern: slotKeyPattern.source,
      description: 'Key of the place in the app: layouts and pages name it as app/<slug>:<key>.',
    },
    label: {
      type: 'string',
      minLength: 1,
      maxLength: slotLabelMax,
      pattern: '\\S',
      description: 'What people see above it.',
    },
    url: { ...url, description: 'What a front end shows in it.' },
    objectTypes: {
      type: 'array',
      items: { type: 'string', pattern: layoutTypePattern },
      minItems: 1,
      maxItems: slotTypesMax,
      uniqueItems: true,
      description: 'The record types in whose layouts and pages it can be.',
    },
    height: {
      type: 'integer',
      minimum: slotHeight.minimum,
      maximum: slotHeight.maximum,
      default: slotHeight.initial,
      description: 'Its height in pixels.',
    },
  },
  required: ['key', 'label', 'url', 'objectTypes'],
  additionalProperties: false,
} as const

export const manifestSchema = new FileSchema({
  title: 'app',
  description: 'The manifest of an app: app.json beside the project file.',
  properties: {
    slug: {
      type: 'string',
      pattern: slugPattern.source,
      description: 'Name of the app in addresses: it belongs to the organization that publishes it first, for ever.',
    },
    name: { type: 'string', minLength: 1, maxLength: nameMax, pattern: '\\S', description: 'Name of the app.' },
    version: {
      type: 'string',
      pattern: numberPattern.source,
      description: 'Version of the app as major.minor.patch, higher than all that were published before.',
    },
    description: { type: 'string', maxLength: descriptionMax, description: 'What the app does.' },
    homepageUrl: { ...url, description: 'Home page of the app.' },
    scopes: {
      type: 'array',
      items: { type: 'string', enum: appScopes },
      maxItems: appScopes.length,
      uniqueItems: true,
      description: 'What the app may do in an organization. Functions of the app have these scopes or fewer.',
    },
    settingsSchema: {
      type: ['object', 'null'],
      default: null,
      description:
        'JSON Schema of the settings that an organization stores for the app, with the keywords of schemas of custom actions; null: it has none.',
    },
    slots: {
      type: 'array',
      items: slotSchema,
      maxItems: slotsMax,
      description: 'Places in layouts and pages that the app fills.',
    },
    clientId: {
      type: ['string', 'null'],
      pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
      default: null,
      description: 'Id of the OAuth app of the publishing organization that acts for the app; null: none does.',
    },
    releaseNotes: {
      type: 'string',
      maxLength: releaseNotesMax,
      description: 'What is different in this version.',
    },
  },
  required: ['slug', 'name', 'version', 'scopes'],
})
