import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { cloneTemplate, previewTemplate, replaceTemplate } from './email-template.actions.ts'
import { EmailTemplatePreview } from './email-template-preview.ts'
import { EmailTemplateReplaceInput, emailTemplateTypes } from './email-template.inputs.ts'
import {
  emailTemplateLanguage,
  emailTemplateTable,
  emailTemplateTotals,
  emailTemplatePrivateIndexes,
} from './email-template.migrations.ts'
import { emailTemplate } from './email-template.record.ts'
import { EmailTemplateStats, emailTemplateStats } from './email-template.stats.ts'
import { EmailTemplate } from './email-template.ts'
import { EmailTemplateFigures, figuresOfTemplate, usesOfTemplate } from './template-figures.ts'

const RecordArg = (name: string, one: string) =>
  Arg(name, () => ID, {
    nullable: true,
    description: `Id of ${one} whose values the mail contains, one that the caller sees; null: none.`,
  })

@Resolver(() => EmailTemplate)
export class EmailTemplateResolver extends standardResolver(emailTemplate, {
  scope: 'EMAIL_TEMPLATES',
  types: emailTemplateTypes,
  stats: { type: EmailTemplateStats, read: emailTemplateStats },
}) {
  @FieldResolver(() => Int, {
    description:
      'Number of mails that were made of the template: mails of users and of sequences, also before they are sent, and reminders of invoices. Previews and copies do not count.',
  })
  usageCount(@Root() { id }: EmailTemplate, @Ctx() ctx: RequestContext) {
    return usesOfTemplate(ctx, id)
  }

  @FieldResolver(() => EmailTemplateFigures, { description: 'Figures of the mails of all times.' })
  stats(@Root() { id }: EmailTemplate, @Ctx() ctx: RequestContext) {
    return figuresOfTemplate(ctx, id)
  }

  @Mutation(() => EmailTemplate, {
    description:
      'Replaces an email template: a field that the input does not name gets the value that a new template would have. The owner stays unless the input names one.',
  })
  @RequiresScope('EMAIL_TEMPLATES')
  emailTemplateReplace(
    @IdArg() id: string,
    @InputArg(() => EmailTemplateReplaceInput) input: object,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return replaceTemplate(ctx, id, input, expectedVersion)
  }

  @Mutation(() => EmailTemplate, {
    description:
      'Copies an email template that the caller sees. The copy belongs to the caller, has the status DRAFT and is not shared.',
  })
  @RequiresScope('EMAIL_TEMPLATES')
  emailTemplateClone(
    @IdArg() id: string,
    @Arg('name', () => String, {
      nullable: true,
      description: 'Name of the copy, 1 to 255 characters; null: `Copy of` and the name of the template.',
    })
    name: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    return cloneTemplate(ctx, id, name ?? null)
  }

  @Mutation(() => EmailTemplatePreview, {
    description:
      'Returns the mail that a template makes of records and values. Nothing is stored or sent. `sender` is the caller.',
  })
  @RequiresScope('EMAIL_TEMPLATES')
  emailTemplatePreview(
    @IdArg() id: string,
    @Arg('variables', () => Json, {
      nullable: true,
      description:
        'Values by the names of variables, with objects or dots: `{"offer": {"deadline": "Friday"}}` or `{"offer.deadline": "Friday"}`; at most 64,000 characters as JSON. They come before values of records.',
    })
    variables: unknown,
    @RecordArg('contactId', 'the contact') contactId: string | null,
    @RecordArg('leadId', 'the lead') leadId: string | null,
    @RecordArg('accountId', 'the account') accountId: string | null,
    @RecordArg('opportunityId', 'the opportunity') opportunityId: string | null,
    @Ctx() ctx: RequestContext<'work'>,
  ) {
    return previewTemplate(ctx, id, { contactId, leadId, accountId, opportunityId }, variables)
  }
}

export const emailTemplateResource: Resource = {
  resolver: EmailTemplateResolver,
  entities: { EmailTemplate: emailTemplate },
  migrations: [emailTemplateTable, emailTemplateLanguage, emailTemplateTotals, emailTemplatePrivateIndexes],
  rest: restArea(emailTemplate, {
    path: 'email-templates',
    filters: ['category', 'status', 'ownerId', 'isShared', 'language', 'externalId', createdAfter, updatedAfter],
    derivedFields: ['usageCount', 'stats'],
  }),
}
