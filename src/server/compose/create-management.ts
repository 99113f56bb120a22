// The services that list, copy, delete and check the models of the store.

import type { Engine } from '../../inference/engine/ports.ts';
import type { Store } from '../../models/store/store.ts';
import { checkBlob, receiveBlob } from '../services/management/blobs.ts';
import { createChooseModel } from '../services/management/choose-model.ts';
import { copyModel } from '../services/management/copy-model.ts';
import { deleteModel } from '../services/management/delete-model.ts';
import { findReranker } from '../services/management/find-reranker.ts';
import { listLoaded } from '../services/management/list-loaded.ts';
import { listModelCards, listModels } from '../services/management/list-models.ts';
import type { ShowModel } from '../services/management/show-model.ts';
import { createVerifyModels } from '../services/management/verify-models.ts';
import type { ModelAliases } from '../services/models/model-aliases.ts';
import type { ReadModelCard } from '../services/models/model-card.ts';

interface ManagementParts {
  readonly store: Store;
  /** The folder of the store. */
  readonly root: string;
  readonly engine: Engine;
  readonly aliases: ModelAliases;
  readonly readModelCard: ReadModelCard;
  readonly showModel: ShowModel;
}

export function createManagement({ store, root, engine, aliases, readModelCard, showModel }: ManagementParts) {
  const listLoadedModels = () => listLoaded({ engine, store, aliases });
  return {
    listModels: () => listModels(store),
    listModelCards: () => listModelCards(store, readModelCard),
    listLoaded: listLoadedModels,
    chooseModel: createChooseModel({ store, readModelCard, showModel, listLoaded: listLoadedModels }),
    findReranker: () => findReranker(store, readModelCard),
    copyModel: copyModel.bind(undefined, store),
    deleteModel: deleteModel.bind(undefined, { store, engine }),
    verifyModels: createVerifyModels({ store, root }),
    checkBlob: checkBlob.bind(undefined, store),
    receiveBlob: receiveBlob.bind(undefined, store),
  };
}
