#include "jobs/progress.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster::jobs {
namespace {

struct Case {
  const char* line;
  Progress expected;
};

class RealLine : public ::testing::TestWithParam<Case> {};

TEST_P(RealLine, SaysHowFarTheTrainingIs) {
  const Progress found = progress_in(GetParam().line);
  EXPECT_EQ(found, GetParam().expected) << GetParam().line << "\n" << json::serialize(encode(found));
}

INSTANTIATE_TEST_SUITE_P(
    Tqdm, RealLine,
    ::testing::Values(Case{" 50%|\u2588\u2588\u2588\u2588\u2588     | 5/10 [00:05<00:05,  1.00s/it]",
                           {.step = 5, .steps = 10}},
                      Case{"  0%|          | 0/200000 [00:00<?, ?it/s]", {.step = 0, .steps = 200000}},
                      Case{"Epoch 1/3:  40%|####      | 375/938 [00:02<00:03, 180.24it/s, loss=0.312]",
                           {.epoch = 1, .epochs = 3, .step = 375, .steps = 938, .loss = 0.312}},
                      Case{"train: 12%|\u2588\u258f        | 1.2k/10.0k [00:01<00:09, 950it/s, loss=1.23, acc=0.56]",
                           {.step = 1200, .steps = 10000, .loss = 1.23, .accuracy = 0.56}},
                      Case{"120it [00:10, 11.9it/s, loss=nope]", {.step = 120}}));

INSTANTIATE_TEST_SUITE_P(
    Lightning, RealLine,
    ::testing::Values(
        Case{"Epoch 0: 100%|\u2588\u2588\u2588\u2588| 938/938 [00:10<00:00, 90.01it/s, v_num=0, train_loss=0.123]",
             {.epoch = 0, .step = 938, .steps = 938, .loss = 0.123}},
        Case{"Epoch 1:  45%|\u2588\u2588  | 422/938 [00:03<00:04, 115.88it/s, v_num=3, train_loss_step=0.245, "
             "val_loss=0.21, val_acc=0.93, train_loss_epoch=0.3]",
             {.epoch = 1, .step = 422, .steps = 938, .loss = 0.245, .accuracy = 0.93}},
        Case{"Epoch 3/9 \u2501\u2501\u2501\u2501\u2501\u2578 938/938 0:00:10 \u2022 0:00:00 88.33it/s v_num: 0.000 "
             "train_loss: 0.245",
             {.epoch = 3, .epochs = 9, .step = 938, .steps = 938, .loss = 0.245}}));

INSTANTIATE_TEST_SUITE_P(
    Transformers, RealLine,
    ::testing::Values(
        Case{"{'loss': 0.31, 'grad_norm': 2.13, 'learning_rate': 4.5e-05, 'epoch': 1.2}", {.epoch = 1.2, .loss = 0.31}},
        Case{"{'loss': '0.31', 'grad_norm': '2.13', 'learning_rate': '4.5e-05', 'epoch': '1.2'}",
             {.epoch = 1.2, .loss = 0.31}},
        Case{"{'eval_loss': 0.29, 'eval_accuracy': 0.9, 'eval_runtime': 1.2, 'epoch': 1.0}",
             {.epoch = 1, .loss = 0.29, .accuracy = 0.9}},
        Case{"{'train_runtime': 12.3, 'train_samples_per_second': 81.3, 'train_loss': 0.44, 'epoch': 3.0}",
             {.epoch = 3, .loss = 0.44}}));

INSTANTIATE_TEST_SUITE_P(
    Keras, RealLine,
    ::testing::Values(
        Case{"Epoch 3/10", {.epoch = 3, .epochs = 10}},
        Case{"1563/1563 [==============================] - 5s 3ms/step - loss: 0.3521 - accuracy: 0.8712 - val_loss: "
             "0.41 - val_accuracy: 0.85",
             {.step = 1563, .steps = 1563, .loss = 0.3521, .accuracy = 0.85}},
        Case{"\x1b[1m 938/938\x1b[0m \x1b[32m\u2501\u2501\u2501\x1b[0m\x1b[37m\x1b[0m \x1b[1m2s\x1b[0m 2ms/step - "
             "accuracy: 0.8712 - loss: 3.521e-01",
             {.step = 938, .steps = 938, .loss = 0.3521, .accuracy = 0.8712}}));

INSTANTIATE_TEST_SUITE_P(
    Tutorials, RealLine,
    ::testing::Values(Case{"Train Epoch: 1 [25600/60000 (43%)]\tLoss: 0.231487",
                           {.epoch = 1, .step = 25600, .steps = 60000, .loss = 0.231487}},
                      Case{"Epoch [3/10], Step [100/600], Loss: 0.4321",
                           {.epoch = 3, .epochs = 10, .step = 100, .steps = 600, .loss = 0.4321}},
                      Case{"Epoch: [0][  10/5005]\tTime  0.289 ( 1.2)\tLoss 6.9e+00 (7.0e+00)\tAcc@1   1.56 (  0.5)",
                           {.epoch = 0, .step = 10, .steps = 5005, .loss = 6.9, .accuracy = 1.56}},
                      Case{"loss: 0.346  [ 6464/60000]", {.loss = 0.346}},
                      Case{"iter 100: loss 2.4512, time 45.2ms, mfu 12.1%", {.step = 100, .loss = 2.4512}},
                      Case{"step 250: train loss 1.8, val loss 1.9", {.step = 250, .loss = 1.8}},
                      Case{"epoch 2 of 5 val/loss=0.5", {.epoch = 2, .epochs = 5, .loss = 0.5}}));

INSTANTIATE_TEST_SUITE_P(NothingOfTheKind, RealLine,
                         ::testing::Values(Case{"", {}}, Case{"without loss of generality", {}},
                                           Case{"RuntimeError: loss must be a scalar", {}},
                                           Case{"reading /data/train/0001.tar (2/5 tries)", {}},
                                           Case{"GET /api/v1 1/2", {}}, Case{"epoch", {}}, Case{"loss:", {}},
                                           Case{"step one, epoch two", {}}, Case{"loss 3rd", {}}));

TEST(ProgressOfLog, TakesTheLastOfEachNumber) {
  const Progress found = progress_of_log(
      "Epoch 1/10\n938/938 [====] - 5s - loss: 0.9 - val_accuracy: 0.5\nEpoch 2/10\n 10/938 [>...] - loss: "
      "0.7\nsaved\n");
  EXPECT_EQ(found, (Progress{.epoch = 2, .epochs = 10, .step = 10, .steps = 938, .loss = 0.7, .accuracy = 0.5}));
  EXPECT_EQ(progress_text(found), "epoch 2/10, loss 0.7");
  EXPECT_EQ(results_text(found), "loss 0.7, accuracy 0.5");
  EXPECT_TRUE(progress_of_log("hello\n\n").empty());
  EXPECT_EQ(progress_text({}), "");
}

TEST(ProgressOfLog, IsBounded) {
  std::string log = "epoch 1\n";
  for (int i = 0; i < 1000; ++i) log += "x\n";
  EXPECT_TRUE(progress_of_log(log).empty()) << "so far back nobody looks";
  EXPECT_EQ(progress_in(std::string(100'000, '[') + " loss 1"), Progress());
}

TEST(ProgressOfScalars, KnowsTheTagsOfTheFrameworks) {
  EXPECT_EQ(progress_of_scalars({{"test/accuracy", 10, 0.9}, {"train/loss", 20, 0.25}}),
            (Progress{.step = 20, .loss = 0.25, .accuracy = 0.9}));
  EXPECT_EQ(progress_of_scalars({{"epoch", 99, 3}, {"train_loss_epoch", 99, 0.5}, {"val_loss", 99, 0.75}}),
            (Progress{.epoch = 3, .step = 99, .loss = 0.5}));
  EXPECT_EQ(progress_of_scalars({{"train/epoch", 50, 1.5}, {"eval/loss", 40, 0.75}, {"train/grad_norm", 50, 2}}),
            (Progress{.epoch = 1.5, .step = 50, .loss = 0.75}));
  EXPECT_EQ(progress_of_scalars({{"epoch_loss", 7, 0.5}, {"epoch_accuracy", 7, 0.875}}),
            (Progress{.step = 7, .loss = 0.5, .accuracy = 0.875}));
  EXPECT_TRUE(progress_of_scalars({}).empty());
}

TEST(JoinedProgress, PrefersTheFirst) {
  const Progress files{.step = 20, .loss = 0.25};
  const Progress log{.epoch = 2, .epochs = 5, .step = 3, .steps = 4, .loss = 0.3, .accuracy = 0.9};
  EXPECT_EQ(joined(files, log), (Progress{.epoch = 2, .epochs = 5, .step = 20, .loss = 0.25, .accuracy = 0.9}));
  EXPECT_EQ(joined({}, log), log);
}

TEST(ProgressText, NamesTheStepWhereThereIsNoEpoch) {
  EXPECT_EQ(progress_text({.step = 375, .steps = 938, .loss = 12345.678}), "step 375/938, loss 1.235e+04");
  EXPECT_EQ(progress_text({.epoch = 1.25}), "epoch 1.25");
  EXPECT_EQ(progress_text(progress_in("loss: nan")), "loss nan");
}

TEST(EncodedProgress, ComesBack) {
  const Progress all{.epoch = 1.5, .epochs = 3, .step = 2, .steps = 4, .loss = 0.5, .accuracy = 1};
  EXPECT_EQ(decode_progress(encode(all)), all);
  EXPECT_TRUE(std::isnan(*decode_progress(encode(Progress{.loss = std::nan("")})).loss));
  EXPECT_TRUE(decode_progress(json::Object{{"loss", "much"}, {"epoch", json::Object{}}}).empty());
}

}  // namespace
}  // namespace muster::jobs
