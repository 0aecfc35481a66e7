import { lookupResources } from '../kernel/record/lookup/lookup-resource.ts'
import type { SubgraphDefinition } from '../kernel/subgraph/subgraph.ts'
import { extensionsAggregates } from './aggregates.ts'
import { installedAppResource } from './app/installed-app.resolver.ts'
import { appPackageResource } from './app/app-package.resolver.ts'
import { marketplaceResource } from './app/marketplace.resolver.ts'
import { customActionResource } from './action/custom-action.resolver.ts'
import { customFieldUsageResource } from './custom-field/custom-field-usage.resolver.ts'
import { customFieldResource } from './custom-field/custom-field.resolver.ts'
import { customObjectResource } from './custom-object/custom-object.resolver.ts'
import { mergeCustomRecordsResource } from './custom-record/merge-custom-records.resolver.ts'
import { customRecordResource } from './custom-record/custom-record.resolver.ts'
import { customRecord } from './custom-record/custom-record.record.ts'
import { duplicateRuleResource } from './duplicate-rule/duplicate-rule.resolver.ts'
import { buildFormula } from './field-formula/build-formula.ts'
import { registerFieldChange } from './field-change/field-change.ts'
import { checkValues, convertValues } from './field-change/change-type.ts'
import { removeValues } from './field-change/remove-values.ts'
import { replaceValues } from './field-change/replace-value.ts'
import { buildIndex, removeIndex } from './field-index/build-index.ts'
import { buildRollup } from './field-rollup/build-rollup.ts'
import { actionPorts } from './function/function.context.ts'
import { functionResource } from './function/function.resolver.ts'
import { functionInvocationResource } from './function/invocation.resolver.ts'
import { functionSecretResource } from './function/secret.resolver.ts'
import { functionVersionResource } from './function/version.resolver.ts'
import { credentialPorts } from './named-credential/named-credential.actions.ts'
import { namedCredentialResource } from './named-credential/named-credential.resolver.ts'
import { flowResource } from './flow/flow.resolver.ts'
import { flowInterviewResource } from './interview/interview.resolver.ts'
import { beforeSaveHookResource } from './hook/hook.resolver.ts'
import { afterSaveTriggerResource } from './trigger/trigger.resolver.ts'
import { layoutResource } from './layout/layout.resolver.ts'
import { pageBuilderResource } from './page/page-builder.resolver.ts'
import { pageResource } from './page/page.resolver.ts'
import { metadataPorts, metadataResource } from './metadata/metadata.resolver.ts'
import { validationRuleResource } from './validation-rule/validation-rule.resolver.ts'
import { workflowRunResource } from './workflow/run.resolver.ts'
import { workflowResource } from './workflow/workflow.resolver.ts'
import { externalIds } from './external-ids.migrations.ts'

registerFieldChange(buildFormula)
registerFieldChange(removeIndex)
registerFieldChange(buildIndex)
registerFieldChange(buildRollup)
registerFieldChange(removeValues)
registerFieldChange(checkValues)
registerFieldChange(convertValues)
registerFieldChange(replaceValues)

export const extensions: SubgraphDefinition = {
  name: 'extensions',
  ports: [...new Set([...actionPorts, ...credentialPorts, ...metadataPorts])],
  migrations: [externalIds],
  resources: [
    customFieldResource,
    customFieldUsageResource,
    customObjectResource,
    customRecordResource,
    mergeCustomRecordsResource,
    ...lookupResources(customRecord),
    validationRuleResource,
    duplicateRuleResource,
    layoutResource,
    pageResource,
    pageBuilderResource,
    namedCredentialResource,
    beforeSaveHookResource,
    functionResource,
    functionVersionResource,
    functionSecretResource,
    functionInvocationResource,
    afterSaveTriggerResource,
    customActionResource,
    workflowResource,
    workflowRunResource,
    flowResource,
    flowInterviewResource,
    metadataResource,
    appPackageResource,
    marketplaceResource,
    installedAppResource,
    ...extensionsAggregates,
  ],
}
