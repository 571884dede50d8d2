#include <stdexcept>

#include "encode_peers.h"

// After the standard types it relies on.
#include <wels/codec_api.h>

namespace visavis::bench {
namespace {

// One thread, its quality mode with our bit rate as target, as WebRTC uses it.
class OpenH264 final : public Peer {
 public:
  OpenH264(int width, int height) : width_(width), height_(height) {
    ISVCEncoder* encoder = nullptr;
    if (WelsCreateSVCEncoder(&encoder) != 0) throw std::runtime_error("openh264 does not open");
    encoder_.reset(encoder);
    int level = WELS_LOG_ERROR;
    encoder_->SetOption(ENCODER_OPTION_TRACE_LEVEL, &level);
    SEncParamExt param;
    encoder_->GetDefaultParams(&param);
    param.iUsageType = CAMERA_VIDEO_REAL_TIME;
    param.iPicWidth = width;
    param.iPicHeight = height;
    param.fMaxFrameRate = kFps;
    param.iRCMode = RC_QUALITY_MODE;
    param.iTargetBitrate = 1'500'000;
    param.iMaxBitrate = UNSPECIFIED_BIT_RATE;
    param.iMultipleThreadIdc = 1;
    param.uiIntraPeriod = 250;
    param.bEnableFrameSkip = false;
    param.iSpatialLayerNum = 1;
    param.sSpatialLayers[0].iVideoWidth = width;
    param.sSpatialLayers[0].iVideoHeight = height;
    param.sSpatialLayers[0].fFrameRate = kFps;
    param.sSpatialLayers[0].iSpatialBitrate = param.iTargetBitrate;
    param.sSpatialLayers[0].sSliceArgument.uiSliceMode = SM_SINGLE_SLICE;
    if (encoder_->InitializeExt(&param) != 0) throw std::runtime_error("openh264 refuses its settings");
  }
  std::vector<std::uint8_t> encode(const I420View& picture) override {
    SSourcePicture in{};
    in.iColorFormat = videoFormatI420;
    in.iPicWidth = width_;
    in.iPicHeight = height_;
    in.iStride[0] = picture.stride_y;
    in.iStride[1] = in.iStride[2] = picture.stride_uv;
    in.pData[0] = const_cast<std::uint8_t*>(picture.y);
    in.pData[1] = const_cast<std::uint8_t*>(picture.u);
    in.pData[2] = const_cast<std::uint8_t*>(picture.v);
    in.uiTimeStamp = 1000 * index_++ / kFps;
    SFrameBSInfo info{};
    if (encoder_->EncodeFrame(&in, &info) != 0) throw std::runtime_error("openh264 failed");
    std::vector<std::uint8_t> out;
    for (int layer = 0; layer < info.iLayerNum; ++layer) {
      const SLayerBSInfo& bits = info.sLayerInfo[layer];
      int bytes = 0;
      for (int nal = 0; nal < bits.iNalCount; ++nal) bytes += bits.pNalLengthInByte[nal];
      out.insert(out.end(), bits.pBsBuf, bits.pBsBuf + bytes);
    }
    return out;
  }

 private:
  struct Destroy {
    void operator()(ISVCEncoder* encoder) const {
      encoder->Uninitialize();
      WelsDestroySVCEncoder(encoder);
    }
  };
  std::unique_ptr<ISVCEncoder, Destroy> encoder_;
  int width_;
  int height_;
  long long index_ = 0;
};

}  // namespace

std::unique_ptr<Peer> make_openh264_peer(int width, int height) { return std::make_unique<OpenH264>(width, height); }

}  // namespace visavis::bench
