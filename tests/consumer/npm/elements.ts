// A page's script of somebody else's that takes the elements from the package: the plate is made, set and listened to.
import { AttentionPlate } from 'attention-plates/elements';
import type { StudyResult } from 'attention-plates/elements';

const plate = document.createElement('attention-plate');
plate.study = 'masked-softmax';
plate.base = 'files/';
plate.params = { causal: true };
plate.addEventListener('plate-change', ({ detail }) => {
  const result: StudyResult | null = plate.result;
  document.title = `${detail.params.causal} ${result?.study} ${plate.dataset.engine}`;
});
plate.addEventListener('plate-error', ({ detail }) => {
  document.title = detail.message;
});
if (AttentionPlate.studies.includes('masked-softmax')) document.body.append(plate);
